# syntax=docker/dockerfile:1

# The tag names one version of Node.js. Whoever wants the same bytes at each build adds the digest to both lines:
#   docker buildx imagetools inspect node:24.21.0-bookworm-slim
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# No dependency that runs has an install script.
RUN npm ci --ignore-scripts
COPY build build
COPY src src
COPY docs docs
COPY *.md ./
RUN node build/islands.js
RUN node build/site.js
RUN node build/dist.ts dist --program

FROM node:24.21.0-bookworm-slim
# A container is reached from outside of it only where its ports are published. With few arenas, what a thread frees can be
# used by the others.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    BARKER_DATA_FOLDER=/var/lib/barker \
    BARKER_HOST=0.0.0.0 \
    BARKER_OPERATIONS_HOST=0.0.0.0
WORKDIR /opt/barker
RUN install --directory --owner=node --group=node --mode=0700 /var/lib/barker
COPY package.json ./
COPY bin bin
COPY --from=build /build/dist dist
COPY --from=build /build/built built
USER node
# The only place that is written to; the rest may be read-only.
VOLUME ["/var/lib/barker"]
EXPOSE 8080 8081 8082
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/opt/barker/bin/barker.js", "health"]
ENTRYPOINT ["node", "/opt/barker/bin/barker.js"]
CMD ["serve"]
