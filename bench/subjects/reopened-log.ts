import { copyFile, open as openFile } from 'node:fs/promises'
import { type Core, openCore } from '../../adapters/store/node/core.ts'
import { embeddedStore } from '../../adapters/store/node/embedded.ts'
import type { EventStore } from '../../domain/kernel/ports.ts'

/** A log that is opened anew between rounds, and can be put back as it was. */
export type ReopenedLog = {
  core(): Core
  store(): EventStore
  /** Closes and opens it; answers how many ms the opening took. */
  reopen(): Promise<number>
  /** Keeps a copy of the log as it is now. */
  keep(): Promise<void>
  putBack(): Promise<void>
  close(): Promise<void>
}

export const reopenedLog = (dir: string): ReopenedLog => {
  const [file, kept] = [`${dir}/log.db`, `${dir}/kept.db`]
  let core = openCore(file)
  let store = embeddedStore(core)
  const open = () => {
    core = openCore(file)
    store = embeddedStore(core)
  }
  return {
    core: () => core,
    store: () => store,
    reopen: async () => {
      await core.close()
      const start = performance.now()
      open()
      return performance.now() - start
    },
    keep: async () => {
      await core.close()
      await copyDurably(file, kept)
      open()
    },
    putBack: async () => {
      await core.close()
      await copyDurably(kept, file)
      open()
    },
    close: () => core.close(),
  }
}

/** Copies a file and flushes it at once, so that the disk is not busy with the copy while something is measured. */
const copyDurably = async (from: string, to: string) => {
  await copyFile(from, to)
  const copied = await openFile(to, 'r+')
  await copied.sync()
  await copied.close()
}
