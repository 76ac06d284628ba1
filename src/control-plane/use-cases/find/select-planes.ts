import { messageOf, VplaneError } from '../../../shared/errors.ts'
import { isSelected, type LabelRequirement } from '../../../shared/kube/label-selector.ts'
import type { Driver } from '../../driver/driver.ts'
import { type Plane, referenceOf } from '../../plane/plane.ts'
import { isReadable, type UnreadablePlane } from '../../plane/unreadable-plane.ts'
import type { Contexts } from '../access/contexts.ts'
import { candidatesOf, type FindDependencies, type PlaneSelector } from './find-planes.ts'

export interface SelectDependencies extends FindDependencies {
  contexts: Pick<Contexts, 'planes'>
}

export interface SelectOptions extends Omit<PlaneSelector, 'name' | 'id'> {
  labels: LabelRequirement[]
}

/**
 * Returns a selector of each plane whose labels meet the requirements, by name. Lists each driver once.
 * @throws {VplaneError} when one of the drivers cannot list its planes: the selection would be incomplete.
 */
export async function selectPlanes(
  { contexts, drivers, ui }: SelectDependencies,
  { labels, ...selector }: SelectOptions,
): Promise<PlaneSelector[]> {
  const likelyNamespaces = async () => {
    const connected = await contexts.planes()
    return connected.flatMap(({ namespace }) => namespace ?? [])
  }
  const scope = { namespace: selector.namespace, likelyNamespaces, ui }
  const listIn = async (driver: Driver) => {
    try {
      return await driver.list(scope)
    } catch (error) {
      throw selector.driver === undefined ? unlisted(driver, error) : error
    }
  }
  const lists = await Promise.all(candidatesOf(drivers, selector).map(listIn))
  return lists
    .flat()
    .filter(isReadable)
    .filter((plane) => isLabelled(plane, labels))
    .map((plane) => ({ ...referenceOf(plane), id: plane.id }))
    .toSorted((one, other) => sortKey(one).localeCompare(sortKey(other)))
}

/** Whether the labels of a plane meet the requirements; those of an unreadable plane are unknown. */
export function isLabelled(plane: Plane | UnreadablePlane, labels: LabelRequirement[]): boolean {
  return isReadable(plane) && isSelected({ matchExpressions: labels }, plane.userSpec.labels ?? {})
}

/** Sorts planes of one name together. */
export function sortKey({ name, namespace = '' }: Pick<PlaneSelector, 'name' | 'namespace'>) {
  return `${name}/${namespace}`
}

function unlisted({ name }: Driver, error: unknown): unknown {
  if (!(error instanceof VplaneError)) {
    return error
  }
  const others = name === 'local' ? 'kubernetes' : 'local'
  const message = `planes of the driver ${name} cannot be listed: ${messageOf(error)}`
  const hints = [...error.hints, { purpose: 'to skip them', driver: others }]
  return new VplaneError(error.code, message, { hints, cause: error })
}
