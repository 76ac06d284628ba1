import type { Json } from '../../src/shared/json-fields.ts'

const NOW = 'self.spec.store'
const BEFORE = 'oldSelf.status.resolved.store'

/** What of a database decides where the data is. */
const DATABASE = ['host', 'port', 'database', 'credentialsSecret']

/** The stores of kine, with their fields that stay. */
const STORES = { sqlite: [], postgres: DATABASE, mysql: DATABASE }

/** The texts that the rule compares. */
export const COMPARED_TEXTS = ['postgres', 'mysql'].flatMap((kind) =>
  DATABASE.filter((field) => field !== 'port').map((field) => ['store', 'kine', kind, field]),
)

/** The store stays. What is stored of it has no resources, and nothing at all for etcd. */
export const STORE_RULE: Json = {
  rule: [
    '!has(oldSelf.status)',
    '!has(oldSelf.status.resolved)',
    `!has(self.spec)`,
    `!has(${NOW})`,
    `has(${NOW}.kine) == (has(${BEFORE}) && has(${BEFORE}.kine)) && (!has(${NOW}.kine) || (${sameStores()}))`,
  ].join(' || '),
  message: '"store" stays as it was at the start, because its data is stored there',
  fieldPath: '.spec',
}

/** An API server compares no objects of two schemas, so each field is compared. */
function sameStores(): string {
  return Object.entries(STORES)
    .map(([kind, fields]) => {
      const rest = fields.map((field) => {
        const path = `kine.${kind}.${field}`
        return same(path, [`${NOW}.${path} == ${BEFORE}.${path}`])
      })
      return same(`kine.${kind}`, rest)
    })
    .join(' && ')
}

/** That both have a field or neither has, and the `rest` if both have. */
function same(path: string, rest: readonly string[]): string {
  const isAlike = `has(${NOW}.${path}) == has(${BEFORE}.${path})`
  return rest.length === 0
    ? isAlike
    : `${isAlike} && (!has(${NOW}.${path}) || (${rest.join(' && ')}))`
}
