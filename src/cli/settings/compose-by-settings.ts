import { isatty } from 'node:tty'
import { compose, type Composition } from '../../compose/compose.ts'
import type { Environment } from '../../shared/environment.ts'
import type { Ui } from '../../shared/ui.ts'
import { readSettingLayers, toSettings, withFileSettings } from './settings.ts'

export interface ComposeBySettings {
  environment: Environment
  ui: Ui
  /** Whether a script reads the result, so that vplane asks nothing. @default false */
  isJson?: boolean
  /** The value of the flag. @default the setting */
  hostContext?: string | undefined
}

/** Composes for this process by its settings. @throws {VplaneError} `INVALID_SPEC` when a setting is wrong. */
export async function composeBySettings(options: ComposeBySettings): Promise<Composition> {
  const { environment, isJson = false, ui } = options
  const layers = await readSettingLayers(environment)
  const { driver, hostContext, namespace } = toSettings(layers)
  return compose({
    environment,
    readEnvironment: async () => withFileSettings(environment, layers),
    ui,
    driver,
    isInteractive: isatty(0) && isatty(2) && !isJson,
    hostContext: options.hostContext ?? hostContext,
    hostNamespace: namespace,
  })
}
