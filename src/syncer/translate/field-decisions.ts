import { isRecord, type Json } from '../../shared/json-fields.ts'
import { isProvided } from './reading.ts'

/**
 * What becomes of a field of a plane's object on the host. `copy`: it is the same there. `translate`: code makes something
 * of it. `drop`: it means nothing to the host. `refuse: …`: the host must not have the object, for this reason.
 */
export type Decision = 'copy' | 'translate' | 'drop' | `refuse: ${string}`

/** The decision for each field of a record, or of each record of a list. Undecided fields keep an object off the host. */
export interface FieldDecisions {
  readonly [field: string]: Decision | FieldDecisions
}

const REFUSE = 'refuse: '
const UNDECIDED = `${REFUSE}is unknown to this version of vplane, a newer one may support it`

/**
 * The fields that are the same on the host, without records whose fields all become something else. Lists keep their length:
 * a record may be empty.
 */
export function copiedFields(decisions: FieldDecisions, record: Json): Json {
  const copied = providedOf(record).flatMap(([field, value]) => {
    const decision = decisionOf(decisions, field)
    if (typeof decision === 'string') {
      return decision === 'copy' ? [[field, value] as const] : []
    }
    return hasCopies(decision) ? [[field, copiedPart(decision, value)] as const] : []
  })
  return Object.fromEntries(copied)
}

function copiedPart(decisions: FieldDecisions, value: unknown): unknown {
  const one = (part: unknown) => copiedFields(decisions, isRecord(part) ? part : {})
  return Array.isArray(value) ? value.map(one) : one(value)
}

const WITH_COPIES = new WeakMap<FieldDecisions, boolean>()

function hasCopies(decisions: FieldDecisions): boolean {
  const known = WITH_COPIES.get(decisions)
  if (known !== undefined) {
    return known
  }
  const found = Object.values(decisions).some((one) =>
    typeof one === 'string' ? one === 'copy' : hasCopies(one),
  )
  WITH_COPIES.set(decisions, found)
  return found
}

/** Why the host must not have an object with these fields, by their paths. */
export function refusedFields(decisions: FieldDecisions, record: Json, at = ''): string[] {
  return providedOf(record).flatMap(([field, value]) => {
    const decision = decisionOf(decisions, field)
    const path = at === '' ? field : `${at}.${field}`
    if (typeof decision === 'string') {
      return decision.startsWith(REFUSE) ? [`${path} ${decision.slice(REFUSE.length)}`] : []
    }
    return Array.isArray(value)
      ? value.flatMap((part: unknown, index) =>
          isRecord(part) ? refusedFields(decision, part, `${path}[${nameIn(part, index)}]`) : [],
        )
      : isRecord(value)
        ? refusedFields(decision, value, path)
        : []
  })
}

function providedOf(record: Json): Array<[string, unknown]> {
  return Object.entries(record).filter(([, value]) => isProvided(value))
}

function decisionOf(decisions: FieldDecisions, field: string): Decision | FieldDecisions {
  return (Object.hasOwn(decisions, field) ? decisions[field] : undefined) ?? UNDECIDED
}

/** Records of lists are told apart by their names. */
function nameIn({ name }: Json, index: number): string {
  return typeof name === 'string' ? name : String(index)
}
