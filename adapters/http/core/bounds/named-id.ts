import { z } from 'zod'

/** Characters of an id of a caller's: more than ids of the ledger have. It is part of a stream's name. */
const NAMED_ID_MAX = 100

/** The id of a resource or challenge that a caller names, and that may name nothing. */
export const NamedId = z.string().min(1).max(NAMED_ID_MAX)
