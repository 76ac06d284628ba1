import { VplaneError } from '../../../shared/errors.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { Operators } from '../../declared/operators.ts'
import type { Driver } from '../../driver/driver.ts'
import type { HostPlacement } from '../../driver/requests.ts'
import type { Plane } from '../../plane/plane.ts'
import type { UserSpec } from '../../spec/spec.ts'
import { awaitOperator } from '../change/await-operator.ts'

/** Opens what declares planes. */
export type OpenDeclarations = () => Promise<Pick<Operators, 'declare' | 'isWatched' | 'observe'>>

interface NewDeclaration {
  name: string
  userSpec: UserSpec
  driver: Driver
  host?: HostPlacement
  /** Its ControlPlane pauses it. @default false */
  isPaused?: boolean | undefined
  /** Return when the plane can be used, not when it exists. */
  wait: boolean
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Declares a plane by a ControlPlane, and waits until an operator has created it.
 * @throws {VplaneError} `UNSUPPORTED` for a local plane, `NOT_FOUND` without an operator, and what `awaitOperator` throws.
 */
export async function declarePlane(
  { openOperators, ui }: { openOperators: OpenDeclarations; ui: Pick<Ui, 'step'> },
  { driver, host = {}, isPaused = false, name, signal, timeoutMs, userSpec, wait }: NewDeclaration,
): Promise<Plane> {
  const { createNamespace = true, namespace } = host
  if (namespace === undefined) {
    const message = `"${name}" would run with the driver "${driver.name}": operators keep planes in host clusters`
    throw new VplaneError('UNSUPPORTED', message)
  }
  const operators = await openOperators()
  if ((await operators.isWatched(namespace, signal)) === false) {
    throw new VplaneError(
      'NOT_FOUND',
      `no operator creates control planes in namespace "${namespace}"`,
      {
        hints: [{ action: 'install-operator' }, { action: 'show-operator' }],
      },
    )
  }
  ui.step(`Declaring "${name}"`)
  const place = { name, namespace }
  const spec = isPaused ? { ...userSpec, paused: true } : userSpec
  const { generation } = await operators.declare({ ...place, createNamespace }, spec, signal)
  const until = { isEnoughToExist: !wait, timeoutMs, signal }
  const work = { driver, place, generation, verb: 'create', ...until } as const
  return awaitOperator({ operators, ui }, work)
}
