import { CONFIG_MAPS, fillConfigMaps } from '../../test/support/data/fill-config-maps.ts'
import type { StaticAccess } from '../static-kubeconfig.ts'

/** Where the objects are. */
export const LARGE_LIST = CONFIG_MAPS

/** Fills a plane, so that a list of its ConfigMaps is of 200 MB and more. */
export async function fillLargeList(access: StaticAccess): Promise<void> {
  await fillConfigMaps(access, { count: 210, bytes: 1_000_000, atOnce: 4 })
}
