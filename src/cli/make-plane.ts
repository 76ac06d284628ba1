import type { Composition } from '../compose/compose.ts'
import type { Driver } from '../control-plane/driver.ts'
import { parseName } from '../control-plane/names.ts'
import {
  createControlPlane,
  type CreateResult,
} from '../control-plane/use-cases/create-control-plane.ts'
import type { Target } from './choose-target.ts'
import { withHostDefaults } from './host-defaults.ts'
import { type GivenHostFlags, hostFieldPairs } from './host-flags.ts'
import type { Settings } from './settings.ts'
import { specFromFlags, type SpecFlags } from './spec-from-flags.ts'

export interface MakePlaneOptions extends SpecFlags, GivenHostFlags {
  name: string
  target: Target
  settings: Pick<Settings, 'imageRegistry' | 'preset' | 'storageClass'>
  crd?: readonly string[] | undefined
  'bin-dir'?: string | undefined
  wait: boolean
  timeout: number
  ownerProcessId?: number
  signal: AbortSignal
}

/** Makes a plane as the flags of `create` and `run` ask for it; all of them are checked before anything is touched. */
export async function makePlane(
  composition: Composition,
  options: MakePlaneOptions,
): Promise<CreateResult & { driver: Driver }> {
  const { 'bin-dir': binDir, crd = [], ownerProcessId, signal, target, timeout, wait } = options
  const { readCrds } = await import('../control-plane/read-crds.ts')
  const { driver, host } = target
  const name = parseName(options.name)
  const said = await specFromFlags({ ...options, pairs: hostFieldPairs(options) })
  const userSpec = host === undefined ? said : withHostDefaults(said, options.settings)
  const crds = crd.length === 0 ? [] : await readCrds(crd, composition.ui)
  const result = await createControlPlane(composition, {
    name,
    userSpec,
    driver,
    crds,
    wait: wait || crds.length > 0,
    timeoutMs: timeout,
    signal,
    ...(host === undefined ? {} : { host }),
    ...(binDir === undefined || host !== undefined ? {} : { binDir }),
    ...(ownerProcessId === undefined ? {} : { ownerProcessId }),
  })
  return { ...result, driver }
}
