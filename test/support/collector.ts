import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as a collector of traces gets it, by OTLP over HTTP in JSON. */
export type CollectedSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly status: { readonly code?: number }
  readonly attributes: Readonly<Record<string, unknown>>
  /** The attributes of the process. */
  readonly resource: Readonly<Record<string, unknown>>
}

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, unknown>> }
type Sent = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'attributes' | 'resource'> & { readonly attributes: Attribute[] })[]
    }[]
  }[]
}

/** Collects traces on this machine. */
export const startCollector = async () => {
  const spans: CollectedSpan[] = []
  const headers: Readonly<Record<string, unknown>>[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      headers.push(request.headers)
      if (request.url === '/v1/traces') spans.push(...spansOf(JSON.parse(Buffer.concat(chunks).toString())))
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { url: `http://127.0.0.1:${port}`, spans, headers, stop }
}

const spansOf = ({ resourceSpans }: Sent): readonly CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        ...span,
        attributes: valuesOf(span.attributes),
        resource: valuesOf(resource.attributes),
      })),
    ),
  )

const valuesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
