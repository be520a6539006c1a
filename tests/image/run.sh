#!/usr/bin/env bash
# Builds the image and tries it against a real Weaviate with the example handbook indexed, and a peer that speaks Discord's
# protocol (nobody could ask a bot without a platform, so it would not get ready): it must get ready, run as
# uid 10001 on a read-only root, pass its health check, answer a question with citations, and stop on SIGTERM.
# BUILDER builds and smoke-tests a Dockerfile without a container engine; its usage stands in its head.
set -euo pipefail
cd "$(dirname "$0")/../.."
builder=${BUILDER:-../shared/tools/build-image.sh}
[ -f "$builder" ] || { echo "tests/image: no image builder at $builder; set BUILDER" >&2; exit 1; }

work=$(mktemp -d)
serve=
peer=
finish() {
  for program in $serve $peer; do { kill "$program" && wait "$program"; } 2>/dev/null || true; done
  rm -rf "$work"
}
trap finish EXIT
export CANDOR_WEAVIATE__DATA_DIRECTORY="$work/weaviate"
./candor index examples/handbook
CANDOR_SERVE__PORT=0 ./candor serve >"$work/serve.log" 2>&1 &
serve=$!
for _ in $(seq 100); do [ -s "$work/weaviate/server.json" ] && break; sleep 0.2; done
port() { .venv/bin/python -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$work/weaviate/server.json" "$1"; }
.venv/bin/python -m tests.image.peer >"$work/peer.json" &
peer=$!
for _ in $(seq 100); do [ -s "$work/peer.json" ] && break; sleep 0.2; done
discord=($(.venv/bin/python -c 'import json, sys; [print("-e", f"{k}={v}") for k, v in json.load(open(sys.argv[1])).items()]' "$work/peer.json"))
free=$(.venv/bin/python -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
key=$(cat "$work/weaviate/server.key")
weaviate=(-e "CANDOR_WEAVIATE__API_KEY=$key" -e "CANDOR_WEAVIATE__URL=http://127.0.0.1:$(port http_port)" -e "CANDOR_WEAVIATE__GRPC_PORT=$(port grpc_port)")
hardened=(--read-only --tmpfs /tmp:rw,size=64m,mode=1777 --cap-drop=all --security-opt=no-new-privileges)

PORT=$free PORT_ENV=CANDOR_SERVE__PORT HEALTH_PATH=/readyz RUN_ARGS="${hardened[*]} ${weaviate[*]} ${discord[*]}" \
  bash "$builder" . candor:test -f Dockerfile

answer=$(bash "$builder" --exec podman run --rm --pull=never --network=host "${hardened[@]}" "${weaviate[@]}" \
  candor:test ask "How many days of holiday do I get a year?")
echo "$answer"
grep -q '\[1\]' <<<"$answer" || { echo "FAIL the image's answer has no citation"; exit 1; }
echo "ok   the image answers a question with citations"
