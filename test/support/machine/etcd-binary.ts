import {
  DEFAULT_KUBERNETES_VERSION,
  etcdVersionOf,
  parseKubernetesVersion,
} from '../../../src/control-plane/spec/kubernetes-version.ts'
import { ensureBinaries } from '../../../src/drivers/local/binaries/ensure-binaries.ts'
import { processEnvironment } from '../../../src/shared/environment.ts'
import { pathsOf } from '../../../src/shared/paths.ts'
import { silentUi } from '../../../src/shared/ui.ts'

const BUILD_MS = 600_000

/** The path of a real etcd of the default version. */
export async function etcdBinary(): Promise<string> {
  const environment = processEnvironment()
  const version = parseKubernetesVersion(DEFAULT_KUBERNETES_VERSION)
  const { etcd } = await ensureBinaries(
    {
      kubernetesVersion: DEFAULT_KUBERNETES_VERSION,
      etcdVersion: etcdVersionOf(version),
      names: ['etcd'],
    },
    {
      paths: pathsOf(environment),
      environment,
      ui: silentUi,
      signal: AbortSignal.timeout(BUILD_MS),
    },
  )
  return etcd
}
