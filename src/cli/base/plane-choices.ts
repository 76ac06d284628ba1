import type { Driver } from '../../control-plane/driver/driver.ts'
import { candidatesOf, type PlaneSelector } from '../../control-plane/use-cases/find/find-planes.ts'
import type { Choice } from '../terminal/terminal-ui.ts'

export interface PlaneChoice extends Choice {
  selector: PlaneSelector
}

/** The planes to choose from when a command was given no NAME. A driver that cannot list its planes offers none. */
export async function planeChoices(
  drivers: readonly Driver[],
  selector: Omit<PlaneSelector, 'name'>,
): Promise<PlaneChoice[]> {
  const lists = await Promise.allSettled(
    candidatesOf(drivers, selector).map((driver) => driver.list({ namespace: selector.namespace })),
  )
  const planes = lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []))
  return planes
    .map(({ driver, hostContext, name, namespace }) => ({
      value: [name, namespace, driver].join('/'),
      label: name,
      description: namespace === undefined ? driver : `${driver}, namespace ${namespace}`,
      selector: { name, driver, namespace, hostContext: selector.hostContext && hostContext },
    }))
    .toSorted((left, right) => left.value.localeCompare(right.value))
}
