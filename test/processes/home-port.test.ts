import { once } from 'node:events'
import { connect as connectPlainly, type Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import test, { type ExecutionContext } from 'ava'
import { FRAME_BYTES_MAX, frameOf } from '../../adapters/processes/frames.ts'
import { createHomeClient, type HomeLimits } from '../../adapters/processes/home-client.ts'
import { type HomeDoors, startHomeServer } from '../../adapters/processes/home-server.ts'
import { createPeerProof, type PeerProof, SHARED_KEY_TLS } from '../../adapters/processes/peer-proof.ts'
import { OutcomeUnknown } from '../../domain/kernel/ports.ts'
import type { CommandMessage, HomeAnswer } from '../../domain/write-side/homes.ts'
import { eventually } from '../../src/demo/stage.ts'
import { HANG_MS } from '../support/depth.ts'

/** The port at which a process takes commands of others, and what strangers get there. */

const ID = 'process-1'
const PROOF = createPeerProof(Buffer.alloc(32, 1), '1.0.0')
const MESSAGE: CommandMessage = {
  door: 'stock',
  command: 'change',
  stream: 'stock-res_1',
  data: { delta: -1, at: new Date(0), counts: new Map([['a', 12n]]), nothing: undefined },
  cause: { actor: 'tester', correlationId: 'test' },
  commandId: '1',
  after: 3n,
}
/** For tests in which nothing is late: a machine that is busy with others may be. */
const PATIENT = { limits: { answerMs: 60_000, pauseMs: 2_000 } }
const decided = (state: unknown): HomeAnswer => ({ outcome: 'decided', state, position: 7n, revision: 4n, events: [] })

/** A home, and a client of it that is connected. */
const startHome = async (
  t: ExecutionContext,
  decide: HomeDoors['decide'],
  { limits = PATIENT.limits, contended = () => {}, told = () => {} }: { limits?: HomeLimits } & Partial<HomeDoors> = {},
) => {
  const server = await startHomeServer('127.0.0.1', PROOF)
  t.teardown(() => server.close())
  server.open(ID, { decide, contended, told })
  const address = `127.0.0.1:${server.port}`
  const client = createHomeClient({ id: ID, address }, PROOF, limits)
  t.teardown(() => client.close())
  const ask = async (message = MESSAGE) => {
    for (;;) {
      const answer = client.decide(message)
      if (answer) return answer
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  return { server, port: server.port, address, client, ask }
}

test('N-111 what a command and a state hold comes through as it was: numbers of any size, maps, times, and nothing', async (t) => {
  const heard: CommandMessage[] = []
  const { ask } = await startHome(t, async (message) => {
    heard.push(message)
    return decided({ left: 2n ** 70n, by: new Map([['x', 1n]]), at: new Date(5), none: undefined })
  })
  t.deepEqual(await ask(), decided({ left: 2n ** 70n, by: new Map([['x', 1n]]), at: new Date(5), none: undefined }))
  t.deepEqual(heard, [MESSAGE])
})

test('N-111 many commands are under way on one connection, and each gets its own answer', async (t) => {
  const { ask } = await startHome(t, async ({ commandId }) => {
    await new Promise((resolve) => setTimeout(resolve, Number(commandId) % 7))
    return decided(commandId)
  })
  await ask()
  const ids = Array.from({ length: 500 }, (_, n) => String(n))
  const answers = await Promise.all(ids.map((commandId) => ask({ ...MESSAGE, commandId })))
  t.deepEqual(
    answers,
    ids.map((id) => decided(id)),
  )
})

test('N-111 a home that does not answer in time, fails, or goes leaves the outcome unknown, and is left alone for a while', async (t) => {
  const never = await startHome(t, () => new Promise(() => {}), { limits: { answerMs: 50, pauseMs: 60_000 } })
  await t.throwsAsync(never.ask(), { instanceOf: OutcomeUnknown, message: /in time/ })
  t.is(never.client.decide(MESSAGE), undefined)
  const failing = await startHome(t, () => Promise.reject(new Error('no disk')))
  await t.throwsAsync(failing.ask(), { instanceOf: OutcomeUnknown, message: /cannot say/ })
  const begun = Promise.withResolvers<void>()
  const gone = await startHome(t, () => {
    begun.resolve()
    return new Promise(() => {})
  })
  const asked = t.throwsAsync(gone.ask(), { instanceOf: OutcomeUnknown, message: /lost/ })
  await begun.promise
  await gone.server.close()
  await asked
  t.is(gone.client.decide(MESSAGE), undefined)
})

test('N-111 a command that cannot be sent is declined, so that the asker decides it', async (t) => {
  const { ask } = await startHome(t, async () => decided('never'))
  await ask()
  t.deepEqual(await ask({ ...MESSAGE, data: { act: () => {} } }), { outcome: 'declined' })
  t.deepEqual(await ask({ ...MESSAGE, data: { text: 'x'.repeat(FRAME_BYTES_MAX) } }), { outcome: 'declined' })
  t.deepEqual(await ask(), decided('never'))
})

test('N-111 an answer too large to be sent leaves the outcome unknown, and the others come through', async (t) => {
  const { ask } = await startHome(t, async ({ commandId }) =>
    decided(commandId === 'large' ? 'x'.repeat(FRAME_BYTES_MAX) : commandId),
  )
  await ask()
  const [large, small] = await Promise.allSettled([
    ask({ ...MESSAGE, commandId: 'large' }),
    ask({ ...MESSAGE, commandId: 'small' }),
  ])
  t.true(large.status === 'rejected' && large.reason instanceof OutcomeUnknown)
  t.deepEqual(small.status === 'fulfilled' && small.value, decided('small'))
})

test('N-111 that races are lost for a stream is told to others, also before there is a connection', async (t) => {
  const heard: unknown[] = []
  const { client } = await startHome(t, async () => decided(1), { contended: (...given) => void heard.push(given) })
  client.contended('stock-res_1', 9n)
  await eventually('what was told', () => heard.length > 0)
  t.deepEqual(heard, [['stock-res_1', 9n]])
})

test('N-108 what one process tells another comes whole and in order, and whoever has no connection knows it', async (t) => {
  const heard: string[] = []
  const { client } = await startHome(t, async () => decided(1), { told: (message) => void heard.push(message) })
  t.false(client.tell('before there is a connection'))
  await eventually('a connection', () => client.tell('0'))
  for (let n = 1; n < 50; n++) t.true(client.tell(String(n)))
  await eventually('what was told', () => heard.length === 50)
  t.deepEqual(
    heard,
    Array.from({ length: 50 }, (_, n) => String(n)),
  )
})

test('N-111 who has no key, another installation’s key, another release, or takes it for another process gets nothing', async (t) => {
  let asked = 0
  const ask = () => {
    asked++
  }
  const decide = async () => {
    ask()
    return decided(1)
  }
  const { address, port } = await startHome(t, decide, { contended: ask, told: ask })
  const foreign = [createPeerProof(Buffer.alloc(32, 2), '1.0.0'), createPeerProof(Buffer.alloc(32, 1), '1.0.1')]
  for (const proof of foreign) await refused(t, port, proof, ID)
  await refused(t, port, PROOF, 'process-2')
  const stranger = createHomeClient({ id: ID, address }, foreign[0] as PeerProof)
  t.teardown(() => stranger.close())
  t.is(stranger.decide(MESSAGE), undefined)
  t.false(stranger.tell('{"from":"process-2","own":true,"settled":"9"}'))
  const plain = connectPlainly(port, '127.0.0.1')
  plain.write('GET / HTTP/1.1\r\n\r\n')
  t.false((await everything(plain)).toString('latin1').includes('HTTP'))
  t.is(asked, 0)
})

test('N-111 a process that has not taken its place yet lets nobody in', async (t) => {
  const server = await startHomeServer('127.0.0.1', PROOF)
  t.teardown(() => server.close())
  await refused(t, server.port, PROOF, ID)
})

test('N-111 a huge frame, garbage and a number that nothing follows end a connection, and no other one', async (t) => {
  const { port, ask } = await startHome(t, async () => decided(1))
  await ask()
  const huge = Buffer.alloc(8)
  huge.writeUInt32BE(FRAME_BYTES_MAX + 1)
  const garbage = Buffer.concat([Buffer.from([0, 0, 0, 5]), Buffer.from('garba')])
  const noList = frameOf([1])?.fill(0, 4) as Buffer
  for (const bytes of [huge, garbage, noList]) {
    const socket = await enter(port, PROOF, ID)
    socket.write(bytes)
    await everything(socket)
  }
  t.deepEqual(await ask(), decided(1))
})

test('N-111 half a frame and then silence, and connections without a word, are ended in time', async (t) => {
  t.timeout(HANG_MS)
  const { port, ask } = await startHome(t, async () => decided(1))
  await ask()
  const half = await enter(port, PROOF, ID)
  half.write((frameOf([['decide', 1, MESSAGE]]) as Buffer).subarray(0, 20))
  const silent = connectPlainly(port, '127.0.0.1')
  await Promise.all([everything(half), everything(silent)])
  t.deepEqual(await ask(), decided(1))
})

test('N-111 a flood of connections and of commands is bounded, and who is connected goes on', async (t) => {
  t.timeout(HANG_MS)
  let most = 0
  let underWay = 0
  const { port, ask } = await startHome(t, async () => {
    most = Math.max(most, ++underWay)
    await new Promise((resolve) => setTimeout(resolve, 30))
    underWay--
    return decided(1)
  })
  await ask()
  const strangers = Array.from({ length: 300 }, () => connectPlainly(port, '127.0.0.1'))
  const cutOff = strangers.map((socket) => everything(socket))
  t.deepEqual(await ask(), decided(1))
  await Promise.all(cutOff)
  const peer = await enter(port, PROOF, ID)
  for (let n = 0; n < 3_000; n += 100)
    peer.write(frameOf(Array.from({ length: 100 }, (_, i) => ['decide', n + i, MESSAGE])) as Buffer)
  t.deepEqual(await ask(), decided(1))
  await eventually('all to be decided or declined', () => underWay === 0)
  t.true(most <= 1_001, `${most} at once`)
  peer.destroy()
})

/** A connection of somebody who has the key. */
const enter = async (port: number, { key: psk, identityFor }: PeerProof, id: string): Promise<TLSSocket> => {
  const socket = connect({
    ...SHARED_KEY_TLS,
    host: '127.0.0.1',
    port,
    pskCallback: () => ({ psk, identity: identityFor(id) }),
    checkServerIdentity: () => undefined,
  })
  await once(socket, 'secureConnect')
  return socket
}

const refused = async (t: ExecutionContext, port: number, proof: PeerProof, id: string) => {
  await t.throwsAsync(enter(port, proof, id), { message: /SSL|TLS|socket hang up|ECONNRESET/i })
}

/** All that comes until the other side ends the connection. */
const everything = (socket: Socket): Promise<Buffer> =>
  new Promise((resolve) => {
    const pieces: Buffer[] = []
    socket.on('data', (piece) => pieces.push(piece))
    socket.on('error', () => {})
    socket.on('close', () => resolve(Buffer.concat(pieces)))
  })
