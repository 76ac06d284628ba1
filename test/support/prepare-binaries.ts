import {
  DEFAULT_KUBERNETES_VERSION,
  etcdVersionOf,
  parseKubernetesVersion,
} from '../../src/control-plane/kubernetes-version.ts'
import { BINARY_NAMES } from '../../src/drivers/local/binaries/binary.ts'
import { ensureBinaries } from '../../src/drivers/local/binaries/ensure-binaries.ts'
import { processEnvironment } from '../../src/shared/environment.ts'
import { pathsOf } from '../../src/shared/paths.ts'
import type { Ui } from '../../src/shared/ui.ts'

const PROGRESS_INTERVAL_MS = 10_000

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
      ui: stderrUi(),
      signal: new AbortController().signal,
    },
  )
}

/** Lines on stderr; of progress one every ten seconds, as logs of a CI keep all of them. */
function stderrUi(): Ui {
  let progressAt = 0
  const say = (text: string) => {
    process.stderr.write(`binaries: ${text}\n`)
  }
  return {
    step: (text) => {
      progressAt = performance.now()
      say(text)
    },
    progress: (detail) => {
      if (performance.now() - progressAt > PROGRESS_INTERVAL_MS) {
        progressAt = performance.now()
        say(detail)
      }
    },
    warn: say,
    note: say,
    confirm: () => Promise.resolve(false),
  }
}
