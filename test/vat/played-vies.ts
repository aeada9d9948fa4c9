import { startReceiver } from '../outbound/receiver.ts'

/** VIES, played on this machine in the shape of its REST interface. */

type Asked = Readonly<Record<string, string>>
type Said = { status?: number; headers?: Record<string, string>; body: string } | { fields: object }
export type ViesAnswer = (asked: Asked) => Said

/** What it says of a number, which is the one that was asked for unless the fields say otherwise. */
export const viesSays = (fields: object): Said => ({ fields })

export const playVies = async (answer: ViesAnswer) => {
  const asked: Asked[] = []
  const gate = { open: Promise.resolve() }
  const receiver = await startReceiver(async ({ url, body }, response) => {
    const question = JSON.parse(body.toString()) as Asked
    asked.push(question)
    await gate.open
    const said = url === '/rest-api/check-vat-number' ? answer(question) : { status: 404, body: '' }
    if (!('fields' in said)) {
      response.writeHead(said.status ?? 200, said.headers).end(said.body)
      return
    }
    const { countryCode, vatNumber } = question
    const rest = { requestDate: '2026-11-22T10:00:00.000Z', name: '---', address: '---', requestIdentifier: '' }
    response.writeHead(200).end(JSON.stringify({ countryCode, vatNumber, ...rest, ...said.fields }))
  })
  return {
    hostPort: `127.0.0.1:${receiver.port}`,
    base: `http://127.0.0.1:${receiver.port}/rest-api`,
    asked: () => asked,
    /** From now on it answers only once it is released. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate.open = promise
      return { release: resolve }
    },
    stop: receiver.stop,
  }
}
