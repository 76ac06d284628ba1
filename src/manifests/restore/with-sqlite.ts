import type { Manifest } from '../manifest.ts'
import {
  PLACE_SQLITE_SCRIPT,
  PLACER,
  PUT_BACK_SQLITE_SCRIPT,
  RECEIVE_SCRIPT,
  RECEIVER,
  type RestoreEnvironment,
} from './restore-scripts.ts'
import {
  commonOf,
  containerOfStore,
  type PodRestore,
  RESTORE_FOLDER,
  scripted,
  withInitContainers,
} from './with-restore.ts'

/**
 * The StatefulSet of kine whose pod receives a file of sqlite through a port-forward, and replaces that in its volume.
 * @throws {VplaneError} `INVALID_SPEC` as `containerOfStore` does.
 */
export function withSqlite(
  statefulSet: Manifest,
  { former, helperImage, sha256, sizeBytes }: Omit<PodRestore, 'bump'>,
): Manifest {
  const found = containerOfStore(statefulSet, 'kine')
  const environment: RestoreEnvironment = {
    VPLANE_VOLUME: String(found.volume.mountPath),
    VPLANE_SNAPSHOT: `${RESTORE_FOLDER}/state.db`,
    VPLANE_SHA256: sha256,
    VPLANE_BYTES: String(sizeBytes),
    VPLANE_FORMER: former,
    VPLANE_ATTEMPT: `${former} ${sha256}`,
  }
  const same = { helperImage, environment, common: commonOf(found) }
  return withInitContainers(statefulSet, [
    scripted(RECEIVER, { script: RECEIVE_SCRIPT, ...same }),
    scripted(PLACER, { script: PLACE_SQLITE_SCRIPT, ...same }),
  ])
}

/** The StatefulSet of kine whose pod puts the former file of sqlite back. @throws {VplaneError} as `withSqlite` */
export function withFormerSqlite(
  statefulSet: Manifest,
  { former, helperImage }: Pick<PodRestore, 'former' | 'helperImage'>,
): Manifest {
  const found = containerOfStore(statefulSet, 'kine')
  const environment: Pick<RestoreEnvironment, 'VPLANE_FORMER' | 'VPLANE_VOLUME'> = {
    VPLANE_VOLUME: String(found.volume.mountPath),
    VPLANE_FORMER: former,
  }
  const common = commonOf(found)
  return withInitContainers(statefulSet, [
    scripted(PLACER, { script: PUT_BACK_SQLITE_SCRIPT, helperImage, environment, common }),
  ])
}
