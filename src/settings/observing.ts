import { isIP } from 'node:net'
import type { SettingReader } from './given/reader.ts'
import { BadSetting, urlOf } from './setting-kinds.ts'

/** Where the service is watched from: its metrics, and whoever collects its traces. */

export type TraceSettings = {
  /** The URL that spans are posted to, by OTLP over HTTP. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The part of all traces that is recorded, from 0 to 1. */
  readonly ratio: number
}

export type ObservingSettings = {
  /** The address at which metrics are served. */
  readonly metricsHost: string
  /** What whoever asks for metrics has to send as a bearer token; undefined: nobody has to. */
  readonly metricsToken: string | undefined
  /** Undefined: nothing is traced. */
  readonly traces: TraceSettings | undefined
}

export const observingOf = (reader: SettingReader): ObservingSettings => ({
  ...metricsOf(reader),
  traces: tracesOf(reader),
})

const metricsOf = ({ set, value }: SettingReader): Omit<ObservingSettings, 'traces'> => {
  const host = value('METRICS_HOST')
  if (!isIP(host)) throw new BadSetting(`METRICS_HOST is not an IP address of this machine: ${host}`)
  const token = set('METRICS_TOKEN')
  // The value is a secret, and is not repeated.
  if (token !== undefined && !/^[\w.~+/-]{16,512}={0,2}$/.test(token))
    throw new BadSetting('METRICS_TOKEN is not 16 to 512 letters, digits or -._~+/: make one with openssl rand -hex 32')
  if (token === undefined && !isLoopback(host))
    throw new BadSetting(
      `METRICS_HOST=${host} opens the metrics to others, which needs METRICS_TOKEN: make one with openssl rand -hex 32`,
    )
  return { metricsHost: host, metricsToken: token }
}

const isLoopback = (host: string): boolean => /^(127\.|::1$)/.test(host)

const tracesOf = ({ set, value }: SettingReader): TraceSettings | undefined => {
  const base = urlOf('OTEL_EXPORTER_OTLP_ENDPOINT', set('OTEL_EXPORTER_OTLP_ENDPOINT'), ['https:', 'http:'])
  const headers = headersOf(set('OTEL_EXPORTER_OTLP_HEADERS'))
  const ratio = ratioOf(value('OTEL_TRACES_SAMPLER_ARG'))
  return base === undefined ? undefined : { url: `${base.replace(/\/+$/, '')}/v1/traces`, headers, ratio }
}

/** `name=value` by comma, the values percent-encoded, as OpenTelemetry has it. The refusal never says a value. */
const headersOf = (value: string | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (value?.split(',') ?? []).map((item) => {
      const [, name, text] = /^\s*([\w-]+)=([\x21-\x7e ]+?)\s*$/.exec(item) ?? []
      const decoded = text === undefined ? undefined : decodedOf(text)
      if (name === undefined || decoded === undefined)
        throw new BadSetting('OTEL_EXPORTER_OTLP_HEADERS is not a list of name=value, separated by commas')
      return [name, decoded]
    }),
  )

const decodedOf = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const ratioOf = (value: string): number => {
  if (!/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/.test(value))
    throw new BadSetting(`OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1: ${value}`)
  return Number(value)
}
