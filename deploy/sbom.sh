#!/bin/sh
# Prints what a production install is made of, as CycloneDX. A copy without what is for development is listed, because
# `npm sbom --omit=dev` (npm 11.19) also leaves out what something for development asks for besides, such as koa.
set -eu
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp package.json package-lock.json .npmrc "$copy"
cd "$copy"
npm pkg delete devDependencies
npm install --package-lock-only --ignore-scripts --prefer-offline >&2
npm sbom --package-lock-only --sbom-format=cyclonedx --sbom-type=application
