import { createInterface } from 'node:readline'

/**
 * The other side of a Worker: answers each line that comes in, then closes what it has open. An error ends the process.
 */
export const answering = async <Q>(
  answer: (question: Q) => Promise<object>,
  close: () => unknown = () => {},
): Promise<void> => {
  for await (const line of createInterface(process.stdin))
    process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line) as Q))}\n`)
  await close()
}
