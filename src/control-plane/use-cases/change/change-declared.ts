import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../../shared/json-fields.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { ChangedField, Operators } from '../../declared/operators.ts'
import type { Plane } from '../../plane/plane.ts'
import type { Driver } from '../../driver/driver.ts'
import { awaitOperator } from './await-operator.ts'

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
  const work = { driver, place, generation, verb: 'change', timeoutMs, signal } as const
  return awaitOperator({ operators, ui }, work)
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
