import { lineAt } from '../../../adapters/store/mirror/mirror-line.ts'
import { pagesOf } from '../../../adapters/store/mirror/reading.ts'
import { segmentsIn } from '../../../adapters/store/mirror/segments.ts'
import type { Config } from '../../config.ts'
import { openDataDir } from '../../data-dir.ts'
import type { Output } from '../output.ts'
import { startBar } from '../progress.ts'

/** Reads the whole mirror and compares it with its seals. Throws Damaged, which names the first segment that is not what was written. */
export const verifyMirror = async (config: Config, out: Output): Promise<void> => {
  const segments = await segmentsIn(openDataDir(config).mirror)
  const bar = startBar(out, segments.at(-1)?.note.last?.position ?? 0n)
  let events = 0
  try {
    for await (const page of pagesOf(segments, { after: -1n, make: lineAt, hashed: true })) {
      events += page.length
      bar.at(page.at(-1)?.position ?? 0n, 'mirror')
    }
  } finally {
    bar.stop()
  }
  const facts = { segments: segments.length, events }
  await out.tell(facts, `${facts.segments} segments with ${events} events are what was written.`)
}
