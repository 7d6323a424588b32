# Proofline as an image: `docker build -t proofline .`, then `docker run proofline --help`.
ARG BUILD_IMAGE=node:20-bookworm
ARG RUN_IMAGE=node:20-bookworm-slim

FROM ${BUILD_IMAGE} AS build
WORKDIR /app
# Where no ready-made SQLite can be had, it is compiled with the headers that the image has.
ENV npm_config_nodedir=/usr/local JOBS=max CXXFLAGS=-O1
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY schemas schemas
COPY consumers consumers
COPY producers producers
COPY src src
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM ${RUN_IMAGE}
ENV NODE_ENV=production PROOFLINE_DATA=/data PROOFLINE_KEYS=/keys PROOFLINE_HTTP_HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY schemas schemas
COPY examples examples
COPY docs docs
COPY CHANGELOG.md LICENSE README.md ./
RUN chmod +x dist/src/cli/main.js && ln -s /app/dist/src/cli/main.js /usr/local/bin/proofline \
  && install -d -o 1000 -g 1000 -m 700 /data /keys
# The user `node` of the image, by its number: so that it can be seen not to be root.
USER 1000:1000
VOLUME ["/data", "/keys"]
EXPOSE 8080
ENTRYPOINT ["proofline"]
CMD ["--help"]
