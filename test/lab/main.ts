import { parseArgs } from 'node:util'
import {
  DEFAULT_KUBERNETES_VERSION,
  formatVersion,
  parseKubernetesVersion,
} from '../../src/control-plane/kubernetes-version.ts'
import { down } from './cluster/down.ts'
import { up } from './cluster/up.ts'
import { labContext } from './lab-context.ts'
import { stderrUi } from './stderr-ui.ts'

const {
  positionals: [command],
  values,
} = parseArgs({
  allowPositionals: true,
  options: {
    name: { type: 'string', default: 'h1' },
    nodes: { type: 'string', default: '1' },
    version: { type: 'string', default: DEFAULT_KUBERNETES_VERSION },
  },
})
const context = labContext(stderrUi('lab'), new AbortController().signal)
if (command === 'up') {
  const cluster = await up(
    {
      name: values.name,
      nodeCount: Number(values.nodes),
      version: formatVersion(parseKubernetesVersion(values.version)),
    },
    context,
  )
  process.stdout.write(`${cluster.folder.kubeconfig}\n`)
}
if (command === 'down') {
  await down(values.name, context)
}
