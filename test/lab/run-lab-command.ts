import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import {
  DEFAULT_KUBERNETES_VERSION,
  formatVersion,
  parseKubernetesVersion,
} from '../../src/control-plane/spec/kubernetes-version.ts'
import { VplaneError } from '../../src/shared/errors.ts'
import { canRunLab } from './can-run-lab.ts'
import { clusterFolder } from './cluster/state/cluster-folder.ts'
import { listClusterRecords, readClusterRecord } from './cluster/state/cluster-record.ts'
import { clusterStatus, formatStatus } from './cluster/status/cluster-status.ts'
import { down } from './cluster/down.ts'
import { loadImage } from './cluster/load-image.ts'
import { up } from './cluster/up.ts'
import { type LabContext, labContext } from './lab-context.ts'

const USAGE = `npm run lab -- COMMAND [options]

  up                  make a host cluster, or start what of it does not run; prints the path of its kubeconfig
  down                remove it, and leave nothing
  status              what runs of all clusters
  kubeconfig          print the path of the administrator's kubeconfig
  load-image FILE     import an image archive on all nodes

  --name NAME         the cluster [h1]
  --nodes NUMBER      how many nodes (up) [1]
  --version VERSION   its Kubernetes: 1.36, 1.36.3 (up) [${DEFAULT_KUBERNETES_VERSION}]
  --planes VERSIONS   Kubernetes versions of planes whose images are there: 1.36,1.35 (up) [${DEFAULT_KUBERNETES_VERSION}]
  --all               all clusters (down)
`

const OPTIONS = {
  all: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
  name: { type: 'string', default: 'h1' },
  nodes: { type: 'string', default: '1' },
  planes: { type: 'string', default: DEFAULT_KUBERNETES_VERSION },
  version: { type: 'string', default: DEFAULT_KUBERNETES_VERSION },
} as const

/**
 * Runs one command of `npm run lab` and returns what it prints.
 *
 * @throws {VplaneError} `USAGE` when the words are no command, and what the commands throw.
 */
export async function runLabCommand(
  words: readonly string[],
  { signal, ui }: Pick<LabContext, 'signal' | 'ui'>,
): Promise<string> {
  const { positionals, values } = parse(words)
  const [command, ...operands] = positionals
  if (command === undefined || values.help) {
    return USAGE
  }
  const context = labContext(ui, signal)
  switch (command) {
    case 'up':
      return await upCommand(values, context)
    case 'down':
      return await downCommand(values, context)
    case 'status':
      return formatStatus(
        await Promise.all(
          listClusterRecords(context.folder.clusters).map((record) =>
            clusterStatus(record, context),
          ),
        ),
      )
    case 'kubeconfig':
      return `${existing(values.name, context).kubeconfig}\n`
    case 'load-image':
      existing(values.name, context)
      for (const archive of operands) {
        await loadImage(values.name, resolve(archive), context)
      }
      return ''
    default:
      throw new VplaneError('USAGE', `"${command}" is no command of the lab`, {
        hints: ['npm run lab -- --help'],
      })
  }
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new VplaneError('USAGE', error instanceof Error ? error.message : String(error), {
      hints: ['npm run lab -- --help'],
      cause: error,
    })
  }
}

type Values = ReturnType<typeof parse>['values']

async function upCommand(values: Values, context: LabContext): Promise<string> {
  const obstacle = canRunLab({ isOwn: true })
  if (obstacle !== undefined) {
    throw new VplaneError('UNSUPPORTED', `the lab cannot run here: ${obstacle}`)
  }
  const cluster = await up(
    {
      name: values.name,
      nodeCount: Number(values.nodes),
      version: fullVersion(values.version),
      planeVersions: values.planes.split(',').map(fullVersion),
    },
    context,
  )
  return `${cluster.folder.kubeconfig}\n`
}

async function downCommand(values: Values, context: LabContext): Promise<string> {
  const names = values.all
    ? listClusterRecords(context.folder.clusters).map(({ name }) => name)
    : [values.name]
  for (const name of names) {
    if (!(await down(name, context))) {
      context.ui.note(`there is no "${name}"`)
    }
  }
  return ''
}

function fullVersion(text: string): string {
  return formatVersion(parseKubernetesVersion(text))
}

/** The folder of a cluster that is there. */
function existing(name: string, { folder }: LabContext): ReturnType<typeof clusterFolder> {
  const cluster = clusterFolder(folder.clusters, name)
  if (readClusterRecord(cluster.root) === undefined) {
    throw new VplaneError('NOT_FOUND', `the lab has no cluster "${name}"`, {
      hints: [`npm run lab -- up --name ${name}`],
    })
  }
  return cluster
}
