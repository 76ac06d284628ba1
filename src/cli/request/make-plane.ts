import type { Composition } from '../../compose/compose.ts'
import type { Driver } from '../../control-plane/driver/driver.ts'
import type { UserSpec } from '../../control-plane/spec/spec.ts'
import {
  createControlPlane,
  type CreateResult,
} from '../../control-plane/use-cases/create/create-control-plane.ts'
import type { Target } from './choose-target.ts'
import { type HostDefaults, withHostDefaults } from './host-defaults.ts'

export interface MakePlaneOptions {
  name: string
  userSpec: UserSpec
  target: Target
  settings: HostDefaults
  crd?: readonly string[] | undefined
  'bin-dir'?: string | undefined
  /** Declare it by a ControlPlane. @default false */
  declare?: boolean | undefined
  /** Create it paused. @default false */
  paused?: boolean | undefined
  wait: boolean
  timeout: number
  ownerProcessId?: number
  signal: AbortSignal
}

/** What creating a plane needs of this process. */
export type MakeDependencies = Pick<
  Composition,
  'accesses' | 'now' | 'openApi' | 'openOperators' | 'ui'
>

/** Creates a plane for `create` and `run`; checks everything before it changes anything. */
export async function makePlane(
  composition: MakeDependencies,
  options: MakePlaneOptions,
): Promise<CreateResult & { driver: Driver }> {
  const {
    'bin-dir': binDir,
    declare = false,
    name,
    ownerProcessId,
    paused: isPaused,
    signal,
    target,
    timeout,
    wait,
  } = options
  const { driver, host } = target
  const { crds, userSpec } = await readRequest(composition, options)
  const result = await createControlPlane(composition, {
    name,
    userSpec,
    driver,
    crds,
    wait: wait || crds.length > 0,
    timeoutMs: timeout,
    signal,
    isPaused,
    openOperators: declare ? composition.openOperators : undefined,
    ...(host === undefined ? {} : { host }),
    ...(binDir === undefined || host !== undefined ? {} : { binDir }),
    ...(ownerProcessId === undefined ? {} : { ownerProcessId }),
  })
  return { ...result, driver }
}

/** Reads the spec and the CRDs of a new plane: those of flags and files, and the settings of a host cluster. */
export async function readRequest(
  { ui }: Pick<Composition, 'ui'>,
  options: Pick<MakePlaneOptions, 'crd' | 'settings' | 'target' | 'userSpec'>,
) {
  const { crd = [], settings, target, userSpec } = options
  const { readCrds } = await import('../../compose/read-manifests.ts')
  return {
    userSpec: target.host === undefined ? userSpec : withHostDefaults(userSpec, settings),
    crds: crd.length === 0 ? [] : await readCrds(crd, ui),
  }
}
