import { runKeeperProcess } from '../compose/run-keeper-process.ts'
import { processEnvironment } from '../shared/environment.ts'
import { readSettingLayers, withFileSettings } from './settings/settings.ts'

/** Runs the keeper of local planes, which applies the settings as they are when a binary is missing; returns its exit status. */
export function runKeeper(words: readonly string[]): Promise<number> {
  const environment = processEnvironment()
  return runKeeperProcess(words, {
    readEnvironment: async () =>
      withFileSettings(environment, await readSettingLayers(environment)),
  })
}
