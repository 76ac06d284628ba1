import type { Composition } from '../compose/compose.ts'
import type { HostRequest } from '../control-plane/driver.ts'
import { parseName } from '../control-plane/names.ts'
import type { DriverName } from '../control-plane/plane.ts'
import type { CreateResult } from '../control-plane/use-cases/create-control-plane.ts'
import { specFromFlags, type SpecFlags } from './spec-from-flags.ts'

export interface MakePlaneOptions extends SpecFlags {
  name: string
  driver?: DriverName | undefined
  host?: HostRequest | undefined
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
): Promise<CreateResult> {
  const { 'bin-dir': binDir, crd = [], host, ownerProcessId, signal, timeout, wait } = options
  const { chooseDriver } = await import('../control-plane/use-cases/choose-driver.ts')
  const { createControlPlane } = await import('../control-plane/use-cases/create-control-plane.ts')
  const { readCrds } = await import('../control-plane/read-crds.ts')
  const name = parseName(options.name)
  const userSpec = await specFromFlags(options)
  const crds = crd.length === 0 ? [] : await readCrds(crd, composition.ui)
  // A kubeconfig that cannot be read matters only to those who would use it.
  const isHostWanted =
    options.driver === undefined && composition.drivers.some((known) => known.name === 'kubernetes')
  const hostContext = isHostWanted ? await composition.contexts.hostContext() : undefined
  const driver = chooseDriver(composition, { wanted: options.driver, hostContext })
  return createControlPlane(composition, {
    name,
    userSpec,
    driver,
    crds,
    wait: wait || crds.length > 0,
    timeoutMs: timeout,
    signal,
    ...(host === undefined ? {} : { host }),
    ...(binDir === undefined ? {} : { binDir }),
    ...(ownerProcessId === undefined ? {} : { ownerProcessId }),
  })
}
