import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'

/**
 * What a name answers: TXT records, each a text or the chunks of one; or an error code (2 SERVFAIL, 3 NXDOMAIN); or
 * nothing at all.
 */
export type DnsAnswer = readonly (string | readonly string[])[] | { readonly rcode: number } | 'silent'

/**
 * A name server on this machine that knows TXT records. `zone` may be changed while it runs; names it does not hold do
 * not exist.
 */
export const startDnsServer = async (zone = new Map<string, DnsAnswer>()) => {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query: Buffer, from: RemoteInfo) => {
    const labels: string[] = []
    let end = 12
    for (; query[end]; end += 1 + query.readUInt8(end))
      labels.push(query.toString('latin1', end + 1, end + 1 + query.readUInt8(end)))
    const name = labels.join('.').toLowerCase()
    asked.push(name)
    const answer = zone.get(name) ?? { rcode: 3 }
    if (answer === 'silent') return
    const records = 'rcode' in answer ? [] : answer.map((text) => record([text].flat()))
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(0x8180 | ('rcode' in answer ? answer.rcode : 0), 2)
    head.writeUInt16BE(records.length, 6)
    head.fill(0, 8)
    socket.send(Buffer.concat([head, query.subarray(12, end + 5), ...records]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const stop = () => new Promise<void>((resolve) => socket.close(() => resolve()))
  return { address: `127.0.0.1:${socket.address().port}`, zone, asked, stop }
}

/** A TXT record of the name that was asked for, with five seconds to live. */
const record = (chunks: readonly string[]): Buffer => {
  const data = Buffer.concat(chunks.map((chunk) => Buffer.concat([Buffer.of(chunk.length), Buffer.from(chunk)])))
  return Buffer.concat([Buffer.of(0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 5, data.length >> 8, data.length & 255), data])
}
