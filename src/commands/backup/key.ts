import { existsSync, writeFileSync } from 'node:fs'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import type { Output } from '../../console/output.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'

/** Makes an identity, which opens backups, and tells its public key, which encrypts them. */
export const makeKey = async (out: Output, { out: file }: { out: string }): Promise<void> => {
  if (existsSync(file)) throw new BadSetting(`--out is there already: ${file}`)
  const identity = await generateX25519Identity()
  const recipient = await identityToRecipient(identity)
  writeFileSync(file, `# public key: ${recipient}\n${identity}\n`, { mode: 0o600, flag: 'wx', flush: true })
  await out.tell(
    { recipient, file },
    `BACKUP_RECIPIENTS=${recipient}\nThe identity is in ${file}. Keep it away from this machine: whoever has it reads every backup, and without it none.`,
  )
}
