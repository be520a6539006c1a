# Candor as an image: small, no root, no writable root file system, models inside, Weaviate by URL.
#   docker build -t candor .
#   docker run --read-only --tmpfs /tmp -e CANDOR_WEAVIATE__URL=http://weaviate:8080 candor
FROM docker.io/library/python:3.11-slim-bookworm AS build
COPY requirements/base.txt /tmp/base.txt
RUN python -m venv /opt/venv && /opt/venv/bin/python -m pip install --no-cache-dir --require-hashes -r /tmp/base.txt

FROM docker.io/library/python:3.11-slim-bookworm
RUN groupadd --gid 10001 candor && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp candor \
    && mkdir /data && chown 10001:10001 /data
COPY --from=build /opt/venv /opt/venv
WORKDIR /app
COPY candor pyproject.toml ./
COPY models models
COPY config config
COPY crag crag
COPY adapters adapters
COPY bot bot
RUN /opt/venv/bin/python -m compileall -q crag adapters config bot && chmod -R a+rX /app
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    CANDOR_WEAVIATE__MODE=server \
    CANDOR_JOURNAL__URL=sqlite:////data/journal.db \
    CANDOR_SERVE__HOST=0.0.0.0 \
    CANDOR_SERVE__PORT=8080
USER 10001:10001
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 CMD ["/app/candor", "health"]
ENTRYPOINT ["/app/candor"]
CMD ["serve"]
