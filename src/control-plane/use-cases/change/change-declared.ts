import { isDeepStrictEqual } from 'node:util'
import { VplaneError } from '../../../shared/errors.ts'
import { isRecord } from '../../../shared/json-fields.ts'
import type { Ui } from '../../../shared/ui.ts'
import { waitFor } from '../../../shared/wait.ts'
import type { ChangedField, DeclaredState, Operators } from '../../declared/operators.ts'
import type { Plane } from '../../plane/plane.ts'
import { isReadable } from '../../plane/unreadable-plane.ts'
import type { Driver } from '../../driver/driver.ts'
import { deletedMeanwhile } from '../../plane/deleted-meanwhile.ts'

/** How long an operator may take to notice a change, in milliseconds. */
const NOTICE_MS = 30_000

const POLL_MS = 500

export interface DeclaredChange {
  driver: Driver
  plane: Plane
  /** The fields of the ControlPlane's spec that change. */
  fields: readonly ChangedField[]
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Changes a plane by its ControlPlane, and waits until the operator has done it.
 * @throws {VplaneError} `CONFLICT` naming the fields that others manage, `FAILED` with what prevents the operator,
 * `TIMED_OUT`.
 */
export async function changeDeclared(
  {
    openOperators,
    ui,
  }: {
    openOperators: () => Promise<Pick<Operators, 'amend' | 'observe'>>
    ui: Pick<Ui, 'step'>
  },
  { driver, fields, plane, signal, timeoutMs }: DeclaredChange,
): Promise<Plane> {
  const { name, namespace = '' } = plane
  const operators = await openOperators()
  const place = { name, namespace }
  const generation = await operators.amend(place, fields, signal)
  ui.step('Waiting for the operator')
  const startedAt = performance.now()
  let shown = ''
  await waitFor(
    async (either) => {
      const state = await operators.observe(place, either)
      const isNoticed = state.observedGeneration >= generation
      refuseSilence(isNoticed ? 0 : performance.now() - startedAt, name)
      if (isNoticed && state.work !== shown && state.work !== '') {
        shown = state.work
        ui.step(shown)
      }
      return isNoticed && isDone(state, name)
    },
    { what: `"${name}"`, timeoutMs, intervalMs: POLL_MS, signal },
  )
  const [changed] = await driver.find(name, { namespace, signal })
  if (changed === undefined || !isReadable(changed)) {
    throw deletedMeanwhile(name)
  }
  return changed
}

function isDone({ failure, isProgressing }: DeclaredState, name: string): boolean {
  if (failure !== undefined && !isProgressing) {
    throw new VplaneError('FAILED', `the operator cannot change "${name}": ${failure}`)
  }
  return !isProgressing
}

function refuseSilence(silentMs: number, name: string): void {
  if (silentMs > NOTICE_MS) {
    throw new VplaneError('TIMED_OUT', `no operator has noticed the change of "${name}"`, {
      hints: [{ action: 'show-operator' }, { action: 'release', plane: { name } }],
    })
  }
}

/** Opens the operators that change a plane; undefined for a plane that is changed directly. */
export function operatorsOf<Opened>(
  { openOperators }: { openOperators?: () => Promise<Opened> },
  { declaredBy }: Pick<Plane, 'declaredBy'>,
): (() => Promise<Opened>) | undefined {
  return declaredBy === undefined ? undefined : openOperators
}

/** The fields that differ between two specs, each with its value in the second one. */
export function changedFields(
  before: unknown,
  after: unknown,
  path: readonly string[] = [],
): ChangedField[] {
  if (isDeepStrictEqual(before, after)) {
    return []
  }
  if (!isRecord(before) || !isRecord(after)) {
    return [{ path, value: after }]
  }
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) => changedFields(before[name], after[name], [...path, name]))
}
