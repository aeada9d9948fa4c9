import { effects } from '../../domain/reactions/effects/index.ts'
import { policies } from '../../domain/reactions/policies/index.ts'
import { timelineProjection } from '../../projections/audit/timeline.ts'
import { projections } from '../../projections/index.ts'

export type Followers = {
  /** Policies and effects, by name. */
  readonly reactions: readonly string[]
  /** Read models with their tables: `challenges (challenges, payments)`. */
  readonly readModels: readonly string[]
}

/** Who follows an event of a type; the timeline shows all of them and is left out. */
export const followersOf = (type: string): Followers => ({
  reactions: [...policies, ...effects].flatMap((each) => (answers(each, type) ? [each.name] : [])),
  readModels: projections
    .filter(({ name, on }) => type in on && name !== timelineProjection.name)
    .map(({ name, tables }) =>
      withTables(
        name,
        tables.map((table) => table.name),
      ),
    ),
})

const answers = (each: (typeof policies)[number] | (typeof effects)[number], type: string): boolean =>
  'types' in each ? each.types.some((own) => own === type) : type in each.on

/** Where the only table is named as its read model, that says it. */
const withTables = (name: string, tables: readonly string[]): string =>
  tables.length === 1 && tables[0] === name ? name : `${name} (${tables.join(', ')})`
