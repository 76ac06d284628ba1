import {
  DEFAULT_KUBERNETES_VERSION,
  etcdVersionOf,
  knownKubernetesVersions,
  parseKubernetesVersion,
} from '../../../src/control-plane/spec/kubernetes-version.ts'
import { BINARY_NAMES } from '../../../src/drivers/local/binaries/cache/binary.ts'
import { ensureBinaries } from '../../../src/drivers/local/binaries/ensure-binaries.ts'
import { processEnvironment } from '../../../src/shared/environment.ts'
import { pathsOf } from '../../../src/shared/paths.ts'
import { stderrUi } from '../cli/stderr-ui.ts'

/**
 * Gets the binaries of Kubernetes, up to the default version, before integration tests: what is built inside of a test takes
 * longer than the test may. With them cached it does nothing. Only slow tests need later versions, and have time to build them.
 */
export async function setup(): Promise<void> {
  const environment = processEnvironment()
  const known = knownKubernetesVersions()
  for (const kubernetesVersion of known.slice(known.indexOf(DEFAULT_KUBERNETES_VERSION))) {
    const isDefault = kubernetesVersion === DEFAULT_KUBERNETES_VERSION
    await ensureBinaries(
      {
        kubernetesVersion,
        etcdVersion: etcdVersionOf(parseKubernetesVersion(kubernetesVersion)),
        names: BINARY_NAMES.filter((name) => isDefault || name !== 'kubectl'),
      },
      {
        paths: pathsOf(environment),
        environment,
        ui: stderrUi('binaries'),
        signal: new AbortController().signal,
      },
    )
  }
}
