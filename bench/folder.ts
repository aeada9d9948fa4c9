import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new temporary folder. It is removed when the process ends, if nobody has done so before. */
export const temporaryFolder = async (prefix: string): Promise<{ readonly dir: string; remove(): Promise<void> }> => {
  const dir = await mkdtemp(join(tmpdir(), prefix))
  const atExit = () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  process.once('exit', atExit)
  return {
    dir,
    async remove() {
      await rm(dir, { recursive: true, force: true })
      process.off('exit', atExit)
    },
  }
}
