"""llama.cpp's flags: spellings, spellings that negate, what a word is read as, who knows them.

Facts of llama.cpp b11434, common/arg.cpp, for llama-server and llama-cli. A line is

    --name -n --other / --no-name : reads [server|cli] [VARIABLE]

with the option's name first; both programs know a flag unless one is named. VARIABLE stands for
LLAMA_ARG_VARIABLE, and =VARIABLE for itself. It knows nothing about what an option decides.
"""

from __future__ import annotations

from ferrum_cli.engines._command_line import Flag, Reads, Takes

_RELATED = """
    --ctx-size -c : integer CTX_SIZE
    --kv-unified-per-slot : integer server KV_UNIFIED_PER_SLOT
    --batch-size -b : integer BATCH
    --ubatch-size -ub : integer UBATCH
    --swa-full : on SWA_FULL
    --ctx-checkpoints -ctxcp --swa-checkpoints : integer CTX_CHECKPOINTS
    --checkpoint-min-step -cms : integer server CHECKPOINT_MIN_SPACING_NT
    --cache-ram -cram : integer CACHE_RAM
    --kv-unified -kvu / --no-kv-unified -no-kvu : switch server KV_UNIFIED
    --cache-idle-slots / --no-cache-idle-slots : switch server CACHE_IDLE_SLOTS
    --flash-attn -fa : text FLASH_ATTN
    --pooling : text server POOLING
    --rope-scaling : text ROPE_SCALING_TYPE
    --rope-scale : text ROPE_SCALE
    --rope-freq-base : text ROPE_FREQ_BASE
    --rope-freq-scale : text ROPE_FREQ_SCALE
    --yarn-orig-ctx : integer YARN_ORIG_CTX
    --yarn-ext-factor : text YARN_EXT_FACTOR
    --yarn-attn-factor : text YARN_ATTN_FACTOR
    --yarn-beta-slow : text YARN_BETA_SLOW
    --yarn-beta-fast : text YARN_BETA_FAST
    --kv-offload -kvo / --no-kv-offload -nkvo : switch KV_OFFLOAD
    --repack / --no-repack -nr : switch REPACK
    --no-host : on NO_HOST
    --cache-type-k -ctk : text CACHE_TYPE_K
    --cache-type-v -ctv : text CACHE_TYPE_V
    --parallel -np : integer N_PARALLEL
    --mmproj -mm : text MMPROJ
    --mmproj-url -mmu : text MMPROJ_URL
    --mmproj-auto / --no-mmproj --no-mmproj-auto : switch MMPROJ_AUTO
    --mmproj-offload / --no-mmproj-offload : switch MMPROJ_OFFLOAD
    --image-min-tokens : integer IMAGE_MIN_TOKENS
    --image-max-tokens : integer IMAGE_MAX_TOKENS
    --mtmd-batch-max-tokens : integer server MTMD_BATCH_MAX_TOKENS
    --rpc : text RPC
    --load-mode -lm : text LOAD_MODE
    --lazy-mode -lzm : text LAZY_MODE
    --device -dev : text DEVICE
    --override-tensor -ot : text OVERRIDE_TENSOR
    --cpu-moe -cmoe : on CPU_MOE
    --n-cpu-moe -ncmoe : integer N_CPU_MOE
    --n-cpu-ffn -ncffn : integer N_CPU_FFN
    --n-gpu-layers -ngl --gpu-layers : layers N_GPU_LAYERS
    --split-mode -sm : text SPLIT_MODE
    --tensor-split -ts : text TENSOR_SPLIT
    --main-gpu -mg : integer MAIN_GPU
    --fit -fit : text FIT
    --fit-target -fitt : text FIT_TARGET
    --fit-ctx -fitc : integer FIT_CTX
    --override-kv : text
    --op-offload / --no-op-offload : switch
    --lora : text
    --lora-scaled : text
    --control-vector : text
    --control-vector-scaled : text
    --control-vector-layer-range : two
    --model -m : text MODEL
    --model-url -mu : text MODEL_URL
    --docker-repo -dr : text DOCKER_REPO
    --hf-repo -hf -hfr : text HF_REPO
    --hf-file -hff : text HF_FILE
    --embedding --embeddings : on server EMBEDDINGS
    --rerank --reranking : on server RERANKING
    --cache-prompt / --no-cache-prompt : switch server CACHE_PROMPT
    --cache-reuse : integer server CACHE_REUSE
    --models-dir : text server MODELS_DIR
    --models-preset : text server MODELS_PRESET
    --models-max : integer server MODELS_MAX
    --spec-draft-hf -hfd -hfrd --hf-repo-draft : text SPEC_DRAFT_HF_REPO
    --spec-draft-type-k -ctkd --cache-type-k-draft : text SPEC_DRAFT_CACHE_TYPE_K
    --spec-draft-type-v -ctvd --cache-type-v-draft : text SPEC_DRAFT_CACHE_TYPE_V
    --spec-draft-override-tensor -otd --override-tensor-draft : text
    --spec-draft-cpu-moe -cmoed --cpu-moe-draft : on SPEC_DRAFT_CPU_MOE
    --spec-draft-n-cpu-moe --spec-draft-ncmoe -ncmoed --n-cpu-moe-draft :
        integer SPEC_DRAFT_N_CPU_MOE
    --spec-draft-n-max : integer SPEC_DRAFT_N_MAX
    --spec-draft-n-min : integer SPEC_DRAFT_N_MIN
    --spec-synth-len : text SPEC_SYNTH_LEN
    --spec-synth-rates : text SPEC_SYNTH_RATES
    --spec-draft-p-split --draft-p-split : text SPEC_DRAFT_P_SPLIT
    --spec-draft-p-min --draft-p-min : text SPEC_DRAFT_P_MIN
    --spec-draft-backend-sampling / --no-spec-draft-backend-sampling :
        switch SPEC_DRAFT_BACKEND_SAMPLING
    --spec-draft-device -devd --device-draft : text
    --spec-draft-ngl -ngld --gpu-layers-draft --n-gpu-layers-draft : layers N_GPU_LAYERS_DRAFT
    --model-draft --spec-draft-model -md : text SPEC_DRAFT_MODEL
    --spec-type : text SPEC_TYPE
    --spec-ngram-mod-n-min : integer
    --spec-ngram-mod-n-max : integer
    --spec-ngram-mod-n-match : integer
    --spec-ngram-simple-size-n : integer
    --spec-ngram-simple-size-m : integer
    --spec-ngram-simple-min-hits : integer
    --spec-ngram-map-k-size-n : integer
    --spec-ngram-map-k-size-m : integer
    --spec-ngram-map-k-min-hits : integer
    --spec-ngram-map-k4v-size-n : integer
    --spec-ngram-map-k4v-size-m : integer
    --spec-ngram-map-k4v-min-hits : integer
    --spec-default : on
    --mmproj-device -mmdev : text =MTMD_BACKEND_DEVICE
"""
"""Flags that bear on memory, capacity or placement."""

_UNRELATED = """
    --help -h --usage : on
    --version : on
    --cache-list -cl : on
    --completion-bash : on
    --server-base : text cli
    --verbose-prompt : on cli
    --display-prompt / --no-display-prompt : switch cli
    --color -co : text cli
    --threads -t : integer THREADS
    --threads-batch -tb : integer
    --cpu-mask -C : text
    --cpu-range -Cr : text
    --cpu-strict : text
    --prio : integer
    --poll : text
    --cpu-mask-batch -Cb : text
    --cpu-range-batch -Crb : text
    --cpu-strict-batch : integer
    --prio-batch : integer
    --poll-batch : integer
    --lookup-cache-static -lcs : text server
    --lookup-cache-dynamic -lcd : text server
    --predict -n --n-predict : integer N_PREDICT
    --keep : integer
    --context-shift / --no-context-shift : switch CONTEXT_SHIFT
    --prompt -p : text cli
    --system-prompt -sys : text cli
    --perf / --no-perf : switch PERF
    --show-timings / --no-show-timings : switch cli SHOW_TIMINGS
    --file -f : text cli
    --system-prompt-file -sysf : text cli
    --binary-file -bf : text cli
    --escape -e / --no-escape : switch
    --reverse-prompt -r : text
    --special -sp : on
    --single-turn -st : on cli
    --multiline-input -mli : on cli
    --warmup / --no-warmup : switch
    --spm-infill : on server
    --samplers : text
    --seed -s : text
    --sampler-seq --sampling-seq : text
    --ignore-eos : on
    --temp --temperature : text TEMPERATURE
    --top-k : integer TOP_K
    --top-p : text TOP_P
    --min-p : text MIN_P
    --top-nsigma --top-n-sigma : text
    --xtc-probability : text
    --xtc-threshold : text
    --typical --typical-p : text
    --repeat-last-n : integer
    --repeat-penalty : text REPEAT_PENALTY
    --presence-penalty : text PRESENCE_PENALTY
    --frequency-penalty : text FREQUENCY_PENALTY
    --dry-multiplier : text
    --dry-base : text
    --dry-allowed-length : integer
    --dry-penalty-last-n : integer
    --dry-sequence-breaker : text
    --adaptive-target : text
    --adaptive-decay : text
    --dynatemp-range : text
    --dynatemp-exp : text
    --mirostat : integer
    --mirostat-lr : text
    --mirostat-ent : text
    --logit-bias -l : text
    --grammar : text
    --grammar-file : text
    --json-schema -j : text
    --json-schema-file -jf : text
    --backend-sampling -bs : on BACKEND_SAMPLING
    --defrag-thold -dt : text DEFRAG_THOLD
    --cont-batching -cb / --no-cont-batching -nocb : switch server CONT_BATCHING
    --image --audio --video : text cli
    --video-fps : text VIDEO_FPS
    --video-timestamp-interval : integer VIDEO_TIMESTAMP_INTERVAL
    --video-ffmpeg-dir : text VIDEO_FFMPEG_DIR
    --numa : text NUMA
    --list-devices : on
    --check-tensors : on
    --alias -a : text server ALIAS
    --tags : text server TAGS
    --hf-token -hft : text =HF_TOKEN
    --output -o --output-file : text cli
    --embd-normalize : integer server
    --host : text server HOST
    --port : integer server PORT
    --reuse-port : on server REUSE_PORT
    --path : text server STATIC_PATH
    --cors-origins : text server CORS_ORIGINS
    --cors-methods : text server CORS_METHODS
    --cors-headers : text server CORS_HEADERS
    --cors-credentials / --no-cors-credentials : switch server CORS_CREDENTIALS
    --api-prefix : text server API_PREFIX
    --ui-config --webui-config : text server UI_CONFIG
    --ui-config-file --webui-config-file : text server UI_CONFIG_FILE
    --ui-mcp-proxy --webui-mcp-proxy / --no-ui-mcp-proxy --no-webui-mcp-proxy :
        switch server UI_MCP_PROXY
    --tools : text server TOOLS
    --tools-runtime : text server TOOLS_RUNTIME
    --mcp-servers-config : text server MCP_SERVERS_CONFIG
    --mcp-servers-json : text server MCP_SERVERS_JSON
    --agent -ag / --no-agent -no-ag : switch server AGENT
    --ui --webui / --no-ui --no-webui : switch server UI
    --api-key : text server =LLAMA_API_KEY
    --api-key-file : text server API_KEY_FILE
    --ssl-key-file : text server SSL_KEY_FILE
    --ssl-cert-file : text server SSL_CERT_FILE
    --chat-template-kwargs : text CHAT_TEMPLATE_KWARGS
    --timeout -to : integer server TIMEOUT
    --sse-ping-interval : integer server SSE_PING_INTERVAL
    --threads-http : integer server THREADS_HTTP
    --metrics : on server ENDPOINT_METRICS
    --props : on server ENDPOINT_PROPS
    --slots / --no-slots : switch server ENDPOINT_SLOTS
    --slot-save-path : text server
    --media-path : text server
    --models-autoload / --no-models-autoload : switch server MODELS_AUTOLOAD
    --jinja / --no-jinja : switch JINJA
    --reasoning-format : text THINK
    --reasoning -rea : text REASONING
    --reasoning-effort : text REASONING_EFFORT
    --reasoning-budget : integer THINK_BUDGET
    --reasoning-budget-message : text THINK_BUDGET_MESSAGE
    --reasoning-preserve / --no-reasoning-preserve : switch REASONING_PRESERVE
    --chat-template : text CHAT_TEMPLATE
    --chat-template-file : text CHAT_TEMPLATE_FILE
    --skip-chat-parsing / --no-skip-chat-parsing : switch SKIP_CHAT_PARSING
    --prefill-assistant / --no-prefill-assistant : switch server PREFILL_ASSISTANT
    --slot-prompt-similarity -sps : text server
    --lora-init-without-apply : on server
    --sleep-idle-seconds : integer server
    --simple-io : on cli
    --log-disable : on
    --log-file : text LOG_FILE
    --log-jsonl / --no-log-jsonl : switch LOG_JSONL
    --log-prompts-dir : text
    --log-colors : text LOG_COLORS
    --verbose -v --log-verbose : on
    --offline : on OFFLINE
    --verbosity -lv --log-verbosity : integer LOG_VERBOSITY
    --log-prefix / --no-log-prefix : switch LOG_PREFIX
    --log-timestamps / --no-log-timestamps : switch LOG_TIMESTAMPS
    --embd-gemma-default : on server
    --fim-qwen-1.5b-default : on server
    --fim-qwen-3b-default : on server
    --fim-qwen-7b-default : on server
    --fim-qwen-7b-spec : on server
    --fim-qwen-14b-spec : on server
    --fim-qwen-30b-default : on server
    --gpt-oss-20b-default : on
    --gpt-oss-120b-default : on
    --vision-gemma-4b-default : on
    --vision-gemma-12b-default : on
    --spec-draft-threads -td --threads-draft : integer
    --spec-draft-threads-batch -tbd --threads-batch-draft : integer
    --spec-draft-cpu-mask -Cd --cpu-mask-draft : text
    --spec-draft-cpu-range -Crd --cpu-range-draft : text
    --spec-draft-cpu-strict --cpu-strict-draft : integer
    --spec-draft-prio --prio-draft : integer
    --spec-draft-poll --poll-draft : integer
    --spec-draft-cpu-mask-batch -Cbd --cpu-mask-batch-draft : text
    --spec-draft-cpu-strict-batch --cpu-strict-batch-draft : integer
    --spec-draft-prio-batch --prio-batch-draft : integer
    --spec-draft-poll-batch --poll-batch-draft : integer
"""

_REFUSED = """
    --draft --draft-n --draft-max : use --spec-draft-n-max or --spec-ngram-mod-n-max
    --draft-min --draft-n-min : use --spec-draft-n-min or --spec-ngram-mod-n-min
    --spec-ngram-size-n : use the respective --spec-ngram-*-size-n
    --spec-ngram-size-m : use the respective --spec-ngram-*-size-m
    --spec-ngram-min-hits : use the respective --spec-ngram-*-min-hits
"""

_READS = {
    "text": (Takes.ONE, Reads.TEXT),
    "integer": (Takes.ONE, Reads.LEADING_INTEGER),
    "layers": (Takes.ONE, Reads.LAYERS),
    "two": (Takes.TWO, Reads.TEXT),
    "on": (Takes.NONE, Reads.TEXT),
    "switch": (Takes.NONE, Reads.TEXT),
}
_PREFIX = "LLAMA_ARG_"


def flags(
    program: str, choices: dict[str, tuple[str, ...]], gathered: frozenset[str]
) -> tuple[Flag, ...]:
    """The flags that `server` or `cli` knows; a spelling belongs to one of them."""
    related = [_flag(line, program, choices, gathered, ignored=False) for line in _lines(_RELATED)]
    others = [_flag(line, program, choices, gathered, ignored=True) for line in _lines(_UNRELATED)]
    refused = [_refused(line) for line in _lines(_REFUSED)]
    return tuple(flag for flag in (*related, *others, *refused) if flag is not None)


def _lines(text: str) -> list[str]:
    """The lines of a table; one that ends in a colon goes on."""
    return text.strip().replace(":\n", ":").splitlines()


def _flag(
    line: str,
    program: str,
    choices: dict[str, tuple[str, ...]],
    gathered: frozenset[str],
    *,
    ignored: bool,
) -> Flag | None:
    left, _, right = line.partition(" : ")
    spellings, _, negations = left.partition(" / ")
    kind, *rest = right.split()
    if rest and rest[0] in ("server", "cli") and rest.pop(0) != program:
        return None
    names = tuple(spellings.split())
    option = names[0].removeprefix("--").replace("-", "_")
    takes, reads = _READS[kind]
    return Flag(
        option=option,
        spellings=names,
        negations=tuple(negations.split()),
        takes=takes,
        reads=reads,
        choices=choices.get(option, ()),
        listed=option == "spec_type",
        gathers=option in gathered,
        environment=_variable(rest[0]) if rest else None,
        ignored=ignored,
    )


def _variable(text: str) -> str:
    return text[1:] if text.startswith("=") else f"{_PREFIX}{text}"


def _refused(line: str) -> Flag:
    spellings, _, refusal = line.partition(" : ")
    names = tuple(spellings.split())
    return Flag(
        option=names[0].removeprefix("--").replace("-", "_"),
        spellings=names,
        reads=Reads.LEADING_INTEGER,
        ignored=True,
        refusal=f"the argument has been removed. {refusal}",
    )
