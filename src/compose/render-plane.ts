import type { HostCluster } from '../kube/host/open-host-cluster.ts'
import type { UserSpec } from '../control-plane/spec/spec.ts'
import { checkArguments } from '../control-plane/components/check-arguments.ts'
import { parseName } from '../control-plane/plane/names.ts'
import { resolveSpec } from '../control-plane/spec/resolve-spec.ts'
import { renderPlane as render } from '../drivers/kubernetes/lifecycle/render-plane.ts'
import { messageOf, VplaneError } from '../shared/errors.ts'
import type { Ui } from '../shared/ui.ts'

export interface RenderOptions {
  name: string
  namespace: string
  userSpec: UserSpec
  /** Whether the user said something of the spec: without that, a plane that is there keeps its own. */
  isSpecSaid: boolean
  /** Folder whose templates replace or add to vplane's own. */
  templates?: string | undefined
  showSecrets: boolean
  signal: AbortSignal
}

export interface RenderDependencies {
  /** The host cluster; undefined when there is none to ask. */
  host: () => Promise<Pick<HostCluster, 'api'> | undefined>
  now: () => Date
  ui: Pick<Ui, 'warn'>
}

/**
 * The objects of a plane in a host cluster, as YAML. A host that cannot be asked matters only to those who want keys.
 *
 * @throws {VplaneError} `INVALID_NAME`, `INVALID_SPEC`, `USAGE` when the spec is wrong; what the host says when keys are
 * to be shown and it cannot be asked.
 */
export async function renderPlane(
  { host, now, ui }: RenderDependencies,
  { name, userSpec, ...options }: RenderOptions,
): Promise<string> {
  const spec = resolveSpec(userSpec, 'kubernetes')
  checkArguments(spec)
  const request = { ...options, name: parseName(name), userSpec, spec, now: now() }
  try {
    return await render((await host())?.api, request)
  } catch (error) {
    if (options.showSecrets || !isUnanswered(error)) {
      throw error
    }
    const [why] = messageOf(error).split('\n')
    ui.warn(`whether "${name}" exists is not known: ${why}`)
    return render(undefined, request)
  }
}

function isUnanswered(error: unknown): boolean {
  return (
    error instanceof VplaneError && (error.code === 'UNREACHABLE' || error.code === 'TIMED_OUT')
  )
}
