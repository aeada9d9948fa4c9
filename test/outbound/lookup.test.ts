import { createSocket } from 'node:dgram'
import test, { type ExecutionContext } from 'ava'
import { nameServerLookup } from '../../adapters/outbound/lookup.ts'
import { createOutbound } from '../../adapters/outbound/signed-post.ts'
import { parseAllowList } from '../../adapters/outbound/url-rules.ts'

const A = 1
const AAAA = 28
const V4 = Buffer.from([127, 0, 0, 1])
const V6 = Buffer.from('20000000000000000000000000000001', 'hex')

test('every A and AAAA answer of the name servers is returned', async (t) => {
  const lookup = nameServerLookup([await nameServer(t, { [A]: [V4, Buffer.from([8, 8, 8, 8])], [AAAA]: [V6] })])
  t.deepEqual(await lookup('hooks.example.com'), ['127.0.0.1', '8.8.8.8', '2000::1'])
})

test('a name with addresses of one family only is resolved', async (t) => {
  t.deepEqual(await nameServerLookup([await nameServer(t, { [A]: [V4] })])('hooks.example.com'), ['127.0.0.1'])
  t.deepEqual(await nameServerLookup([await nameServer(t, { [AAAA]: [V6] })])('hooks.example.com'), ['2000::1'])
})

test('a name without an address rejects', async (t) => {
  await t.throwsAsync(nameServerLookup([await nameServer(t, {})])('hooks.example.com'), { code: 'ENODATA' })
})

test('X-SSRF-01 a private address among the name servers answers is refused', async (t) => {
  const lookup = nameServerLookup([await nameServer(t, { [A]: [V4], [AAAA]: [V6] })])
  const outbound = createOutbound({ allow: parseAllowList(''), lookup, userAgent: 'x' })
  t.teardown(outbound.close)
  t.is((await outbound.post('https://hooks.example.com/', '{}', {})).reason, 'address-refused')
})

/** A name server that gives every name the same records (RFC 1035); answers its `address:port`. */
const nameServer = async (t: ExecutionContext, records: Record<number, readonly Buffer[]>): Promise<string> => {
  const socket = createSocket('udp4')
  t.teardown(() => socket.close())
  socket.on('message', (query, from) => {
    const questionEnd = query.indexOf(0, 12) + 5
    const type = query.readUInt16BE(questionEnd - 4)
    const data = records[type] ?? []
    const head = Buffer.alloc(12)
    query.copy(head, 0, 0, 2)
    // Flags: a response, recursion available. Then the counts of questions and answers.
    for (const [offset, value] of [
      [2, 0x8180],
      [4, 1],
      [6, data.length],
    ] as const)
      head.writeUInt16BE(value, offset)
    const answers = data.map((bytes) => {
      const answer = Buffer.alloc(12)
      // The name is a pointer to the question; class IN, lifetime 0.
      for (const [offset, value] of [
        [0, 0xc00c],
        [2, type],
        [4, 1],
        [10, bytes.length],
      ] as const)
        answer.writeUInt16BE(value, offset)
      return Buffer.concat([answer, bytes])
    })
    socket.send(Buffer.concat([head, query.subarray(12, questionEnd), ...answers]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return `127.0.0.1:${socket.address().port}`
}
