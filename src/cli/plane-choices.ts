import type { Driver } from '../control-plane/driver.ts'
import type { Choice } from './terminal-ui.ts'

/** The planes to choose from when a command was given no NAME. */
export async function planeChoices({ drivers }: { drivers: readonly Driver[] }): Promise<Choice[]> {
  const planes = (await Promise.all(drivers.map((driver) => driver.list()))).flat()
  return planes
    .map(({ driver, name, namespace }) => ({
      value: name,
      description: namespace === undefined ? driver : `${driver}, namespace ${namespace}`,
    }))
    .toSorted((left, right) => left.value.localeCompare(right.value))
}
