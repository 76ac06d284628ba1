import type { Composition, ReleaseSupply } from '../compose/compose.ts'
import { COMPONENT_NAMES } from '../control-plane/plane/plane.ts'
import { ownStoreOf } from '../control-plane/store/store.ts'
import { isReadable } from '../control-plane/plane/unreadable-plane.ts'
import {
  DEFAULT_KUBERNETES_VERSION,
  etcdVersionOf,
  parseKubernetesVersion,
} from '../control-plane/spec/kubernetes-version.ts'
import type { Finding } from '../control-plane/status/finding.ts'
import type { Hint } from '../shared/hint.ts'
import { isOnPath } from './processes/is-on-path.ts'

const DEFAULTS = {
  version: DEFAULT_KUBERNETES_VERSION,
  etcdVersion: etcdVersionOf(parseKubernetesVersion(DEFAULT_KUBERNETES_VERSION)),
}

type Machine = Pick<Composition, 'drivers' | 'environment' | 'hostContext' | 'openBinaries'>

/** Checks the programs of planes of this machine: those that planes run, and those that commands use. */
export async function examineBinaries(machine: Machine): Promise<Finding[]> {
  const { drivers, environment, openBinaries } = machine
  const local = drivers.find(({ name }) => name === 'local')
  if (local === undefined) {
    const message = 'control planes do not run as processes on this platform'
    return [{ subject: 'binaries', level: 'ok', message }]
  }
  const binaries = await openBinaries()
  const planes = (await local.list()).filter(isReadable)
  const specs = planes.filter(({ binDir }) => binDir === undefined).map(({ spec }) => spec)
  const etcdVersions = new Map(
    [...specs.filter((spec) => ownStoreOf(spec) === 'etcd'), DEFAULTS].map((versions) => [
      versions.etcdVersion,
      versions,
    ]),
  )
  const [components, kubectl, ...etcdutl] = await Promise.all([
    binaries.examine(DEFAULTS, COMPONENT_NAMES),
    isOnPath('kubectl', environment) ? undefined : binaries.examine(DEFAULTS, ['kubectl']),
    ...[...etcdVersions.values()].map((versions) => binaries.examine(versions, ['etcdutl'])),
  ])
  const kine = await Promise.all(
    [...new Map(specs.map((spec) => [spec.kineVersion, spec])).values()].flatMap((spec) =>
      spec.kineVersion === undefined ? [] : [binaries.examine(spec, ['kine'])],
    ),
  )
  const isNeeded = await hasNoHost(machine)
  return [
    findingOf('binaries', components, { user: 'the first create', isNeeded }),
    findingOf('etcdutl', etcdutl.flat(), { user: 'restore' }),
    ...(kine.length === 0
      ? []
      : [findingOf('kine', kine.flat(), { user: 'the next start', isNeeded: true })]),
    kubectl === undefined
      ? { subject: 'kubectl', level: 'ok', message: 'on PATH' }
      : findingOf('kubectl', kubectl, { user: 'the first command that needs it' }),
  ]
}

/** Without a host cluster, planes can only run here. */
async function hasNoHost({ hostContext }: Machine): Promise<boolean> {
  try {
    return (await hostContext()) === undefined
  } catch {
    // Another finding names the fault of the kubeconfig.
    return true
  }
}

interface Use {
  user: string
  isNeeded?: boolean
}

function findingOf(
  subject: string,
  supplies: readonly ReleaseSupply[],
  { isNeeded = false, user }: Use,
): Finding {
  const missing = supplies.filter((supply) => supply.missing.length > 0)
  if (missing.length === 0) {
    const message = supplies.map(({ title }) => title).join(', ')
    return { subject, level: 'ok', message: `in the cache: ${message}` }
  }
  const source = SOURCES.find((one) => missing.some((supply) => supply.source === one))
  return {
    subject,
    level: isNeeded && source === undefined ? 'problem' : 'warning',
    message: messageOf(missing, { source, user }),
    hint: hintsOf(missing, source),
  }
}

/** The hardest one first: what is missing comes from several. */
const SOURCES = [undefined, 'build', 'download'] as const
type Source = (typeof SOURCES)[number]

function messageOf(
  supplies: readonly ReleaseSupply[],
  { source, user }: { source: Source; user: string },
): string {
  const programs = supplies.map(({ missing, title }) => `${missing.join(', ')} of ${title}`)
  const what = `${programs.join(' and ')} not in the cache`
  const why = [...new Set(supplies.flatMap(({ reasons }) => reasons))].join('; ')
  if (source === undefined) {
    return `${what}, and vplane cannot get what is missing: ${why}`
  }
  return source === 'download'
    ? `${what}: ${user} downloads what is missing`
    : `${what}: ${user} builds what is missing with Go, which takes minutes (${why})`
}

function hintsOf(missing: readonly ReleaseSupply[], source: Source): Hint[] {
  const pulls = new Map(
    missing.flatMap(({ pull }) => (pull === undefined ? [] : [[pull.what, pull]])),
  )
  const actions = [...pulls.values()]
  return source !== undefined
    ? actions
    : [
        'install Go: https://go.dev/dl',
        ...actions.map((pull) => ({
          purpose: 'with a network and without VPLANE_OFFLINE',
          ...pull,
        })),
      ]
}
