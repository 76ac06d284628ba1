/** A setting's key in config.yaml. */
export const SETTING_KEYS = [
  'driver',
  'version',
  'timeout',
  'namespace',
  'hostContext',
  'preset',
  'storageClass',
  'imageRegistry',
  'helperImage',
  'binDir',
  'mirror',
  'offline',
  'connect',
  'wait',
] as const
export type SettingKey = (typeof SETTING_KEYS)[number]

/** The variable that sets a key: `VPLANE_BIN_DIR` for `binDir`. */
export function variableOf(key: string): string {
  return `VPLANE_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}
