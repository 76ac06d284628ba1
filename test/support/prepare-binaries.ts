import {
  DEFAULT_KUBERNETES_VERSION,
  etcdVersionOf,
  parseKubernetesVersion,
} from '../../src/control-plane/kubernetes-version.ts'
import { BINARY_NAMES } from '../../src/drivers/local/binaries/binary.ts'
import { ensureBinaries } from '../../src/drivers/local/binaries/ensure-binaries.ts'
import { processEnvironment } from '../../src/shared/environment.ts'
import { pathsOf } from '../../src/shared/paths.ts'
import { stderrUi } from './stderr-ui.ts'

/** Gets the binaries of the default Kubernetes version before integration tests; with them cached it does nothing. */
export async function setup(): Promise<void> {
  const environment = processEnvironment()
  await ensureBinaries(
    {
      kubernetesVersion: DEFAULT_KUBERNETES_VERSION,
      etcdVersion: etcdVersionOf(parseKubernetesVersion(DEFAULT_KUBERNETES_VERSION)),
      names: BINARY_NAMES,
    },
    {
      paths: pathsOf(environment),
      environment,
      ui: stderrUi('binaries'),
      signal: new AbortController().signal,
    },
  )
}
