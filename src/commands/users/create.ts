import { z } from 'zod'
import { registerUser } from '../../../domain/use-cases/signin/register-user.ts'
import type { Books } from '../../books/books.ts'
import { openOperator } from '../../books/operator-use-cases.ts'
import type { Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'

export type NewUser = { email: string; password: string; name?: string; verified?: boolean }

const Wish = z.object({
  email: z.email().max(254),
  password: z.string().min(8).max(256),
  name: z.string().max(200).optional(),
})

/** Makes a user and tells the `sub` that apps will know them by. */
export const createUser = async (books: Books, config: Config, out: Output, wish: NewUser): Promise<void> => {
  const read = Wish.safeParse(wish)
  if (!read.success)
    throw new BadSetting(read.error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`).join('; '))
  const { email, password, name } = read.data
  const { flow } = await openOperator(books, config)
  const { sub } = await registerUser(flow, {
    email,
    password,
    profile: name === undefined ? {} : { name },
    verified: wish.verified ?? false,
  })
  await out.tell({ sub }, sub)
}
