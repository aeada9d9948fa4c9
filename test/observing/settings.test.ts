/** By which settings a service is watched, and what is loaded where they are not set. */
import test, { type ExecutionContext } from 'ava'
import { Registry } from 'prom-client'
import ts from 'typescript'
import { metricsServer } from '../../src/monitoring/serving.ts'
import { readConfig } from '../../src/settings/config.ts'
import { BadSetting } from '../../src/settings/setting-kinds.ts'
import { found, ROOT, sources, textOf } from '../support/source-files.ts'

const TOKEN = 'a-token-of-16-letters'

const faultOf = (t: ExecutionContext, env: Record<string, string>): string =>
  String(t.throws(() => readConfig(env), { instanceOf: BadSetting })?.message)

test('N-141 metrics are on loopback, and anywhere else by a token alone', (t) => {
  t.like(readConfig({}), { metricsHost: '127.0.0.1', metricsToken: undefined, traces: undefined })
  for (const host of ['127.0.0.1', '127.0.0.9', '::1']) t.is(readConfig({ METRICS_HOST: host }).metricsHost, host)
  for (const host of ['0.0.0.0', '::', '10.0.0.5', '192.0.2.1']) {
    t.regex(faultOf(t, { METRICS_HOST: host }), /^METRICS_HOST=.* needs METRICS_TOKEN: make one with openssl/)
    t.is(readConfig({ METRICS_HOST: host, METRICS_TOKEN: TOKEN }).metricsToken, TOKEN)
  }
  t.regex(faultOf(t, { METRICS_HOST: 'localhost' }), /^METRICS_HOST is not an IP address/)
  for (const token of ['short', 'with space in the middle', `${TOKEN}\u00fc`, 'x'.repeat(513)]) {
    const fault = faultOf(t, { METRICS_TOKEN: token })
    t.regex(fault, /^METRICS_TOKEN is not 16 to 512 letters/)
    t.false(fault.includes(token), 'a secret is not repeated')
  }
})

test('N-141 whoever does not bring the token reads no metrics', async (t) => {
  const served = await metricsServer(new Registry()).serve({
    metricsPort: 0,
    metricsHost: '::1',
    metricsToken: TOKEN,
  })
  t.teardown(served.stop)
  t.regex(served.url, /^http:\/\/\[::1\]:\d+\/metrics$/)
  const asked = async (authorization?: string) =>
    await fetch(served.url, { headers: authorization === undefined ? {} : { authorization } })
  for (const wrong of [
    undefined,
    '',
    TOKEN,
    `Basic ${TOKEN}`,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    'Bearer ',
  ]) {
    const { status, headers } = await asked(wrong)
    t.deepEqual([status, headers.get('www-authenticate')], [401, 'Bearer'], wrong)
  }
  for (const right of [`Bearer ${TOKEN}`, `bearer ${TOKEN}`]) t.is((await asked(right)).status, 200)
  t.is((await fetch(served.url.replace('/metrics', '/'))).status, 404)
})

test('N-143 traces go where the settings of OpenTelemetry say', (t) => {
  const { traces } = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://traces.example/otlp/',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret, x-tenant=ours',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  })
  t.deepEqual(traces, {
    url: 'https://traces.example/otlp/v1/traces',
    headers: { authorization: 'Bearer secret', 'x-tenant': 'ours' },
    ratio: 0.25,
  })
  t.regex(faultOf(t, { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }), /^OTEL_EXPORTER_OTLP_ENDPOINT is not a URL/)
  for (const ratio of ['1.1', '-1', 'all', '.5'])
    t.regex(faultOf(t, { OTEL_TRACES_SAMPLER_ARG: ratio }), /^OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1/)
  for (const headers of ['no value', 'a=%', 'a=%ff', 'a=b,', 'a=']) {
    const fault = faultOf(t, { OTEL_EXPORTER_OTLP_HEADERS: headers })
    t.is(fault, 'OTEL_EXPORTER_OTLP_HEADERS is not a list of name=value, separated by commas')
  }
})

test('N-143 no package of OpenTelemetry is loaded before a setting asks for traces', (t) => {
  const product = sources(ROOT).filter((file) => !file.startsWith('test/'))
  const loaders = product
    .filter((file) => /@opentelemetry\/|open-telemetry/.test(textOf(file)))
    .flatMap((file) =>
      found(file, (node) => {
        if (!ts.isImportDeclaration(node) || node.importClause?.isTypeOnly) return undefined
        const { text } = node.moduleSpecifier as ts.StringLiteral
        return /^@opentelemetry\/|open-telemetry\.ts$/.test(text) ? text : undefined
      }),
    )
  t.deepEqual([...new Set(loaders.map((line) => line.split(':')[0]))], ['src/tracing/open-telemetry.ts'])
})
