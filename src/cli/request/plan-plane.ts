import type { Composition } from '../../compose/compose.ts'
import { controlPlaneObject } from '../../control-plane/declared/control-plane-object.ts'
import { componentsOf, type PlaneReference } from '../../control-plane/plane/plane.ts'
import { needsKeeper } from '../../control-plane/spec/needs-keeper.ts'
import {
  type CreatePlan,
  planCreate,
} from '../../control-plane/use-cases/create/create-control-plane.ts'
import { VplaneError } from '../../shared/errors.ts'
import { type MakePlaneOptions, readRequest } from './make-plane.ts'

export interface PlanPlaneOptions extends Omit<MakePlaneOptions, 'timeout' | 'wait'> {
  /** Also return the objects as text. @default only their names */
  format?: 'yaml' | 'json' | undefined
}

export interface PlannedPlane extends CreatePlan {
  place: PlaneReference
  createsNamespace: boolean
  isPaused: boolean
  crdCount: number
  objects: Array<{ kind: string; name: string }>
  processes: string[]
  /** The objects as text; only with `format`. */
  manifests?: string
  /** Names of the Secrets that the text leaves out. */
  leftOut: string[]
}

/**
 * Reads and checks all that `makePlane` would, and changes nothing.
 *
 * @throws {VplaneError} `USAGE` when a plane on this machine is to be printed as objects, and what `planCreate` throws.
 */
export async function planPlane(
  composition: Pick<Composition, 'hostContext' | 'openOperators' | 'renderPlane' | 'ui'>,
  options: PlanPlaneOptions,
): Promise<PlannedPlane> {
  const { declare = false, format, name, paused = false, signal, target } = options
  const { driver, host } = target
  if (format !== undefined && host === undefined) {
    const message = `a plane of the driver "${driver.name}" has no objects to print`
    throw new VplaneError('USAGE', message, {
      hints: ['leave --output out', '--driver kubernetes runs the plane in a host cluster'],
    })
  }
  const { crds, userSpec } = await readRequest(composition, options)
  const plan = await planCreate({
    name,
    userSpec,
    driver,
    openOperators: declare ? composition.openOperators : undefined,
    ...(host === undefined ? {} : { host }),
  })
  const common = { ...plan, crdCount: crds.length, isPaused: paused }
  if (host === undefined) {
    const keeper = needsKeeper(plan.spec) ? ['keeper'] : []
    return {
      ...common,
      place: { name, driver: driver.name },
      createsNamespace: false,
      objects: [],
      processes: paused ? [] : [...componentsOf(plan.spec), ...keeper],
      leftOut: [],
    }
  }
  const { namespace, templates } = host
  const rendered = declare
    ? await renderDeclaration({ name, namespace, userSpec, paused, format })
    : await composition.renderPlane({
        name,
        namespace,
        userSpec,
        isSpecGiven: Object.keys(options.userSpec).length > 0,
        templates,
        showSecrets: false,
        format,
        signal,
      })
  const hostContext = await composition.hostContext()
  return {
    ...common,
    place: {
      name,
      driver: driver.name,
      namespace,
      ...(hostContext === undefined ? {} : { hostContext }),
    },
    createsNamespace: host.createNamespace ?? true,
    objects: rendered.objects.map(({ kind, metadata }) => ({ kind, name: metadata.name })),
    processes: [],
    leftOut: rendered.leftOut.map(({ metadata }) => metadata.name),
    ...(format === undefined ? {} : { manifests: rendered.text }),
  }
}

/** The ControlPlane alone: the operator creates the other objects. */
async function renderDeclaration({
  format,
  paused,
  userSpec,
  ...place
}: Pick<PlanPlaneOptions, 'format' | 'name' | 'paused' | 'userSpec'> & { namespace: string }) {
  const object = controlPlaneObject(place, paused === true ? { ...userSpec, paused } : userSpec)
  const { formatYaml } = await import('../../shared/yaml/yaml.ts')
  const text = format === 'json' ? `${JSON.stringify(object, undefined, 2)}\n` : formatYaml(object)
  return { objects: [object], leftOut: [], text }
}
