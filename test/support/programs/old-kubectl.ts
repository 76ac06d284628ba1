import {
  DEFAULT_KUBERNETES_VERSION,
  etcdVersionOf,
  parseKubernetesVersion,
} from '../../../src/control-plane/spec/kubernetes-version.ts'
import { ensureBinaries } from '../../../src/drivers/local/binaries/ensure-binaries.ts'
import { processEnvironment } from '../../../src/shared/environment.ts'
import { pathsOf } from '../../../src/shared/paths.ts'
import { stderrUi } from '../cli/stderr-ui.ts'

/** Before it spoke websockets, which kubectl does by default since 1.31. */
const VERSION = '1.29.15'

/** The path of a kubectl that knows SPDY alone; with it in the cache this does nothing. */
export async function oldKubectl(): Promise<string> {
  const environment = processEnvironment()
  const { kubectl } = await ensureBinaries(
    {
      kubernetesVersion: VERSION,
      etcdVersion: etcdVersionOf(parseKubernetesVersion(DEFAULT_KUBERNETES_VERSION)),
      names: ['kubectl'],
    },
    {
      paths: pathsOf(environment),
      environment,
      ui: stderrUi('binaries'),
      signal: new AbortController().signal,
    },
  )
  return kubectl
}
