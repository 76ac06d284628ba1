import type { KeeperServiceStatus } from '../../compose/launcher/keeper-service.ts'

/** The keeper of this machine and its service, as `--json` shows them. */
export interface KeeperResult {
  /** Whether a keeper runs, by its service or by a command. */
  running: boolean
  /** Whether it has a service. */
  installed: boolean
  /** The file of the unit. */
  file: string
  /** Whether the service starts this vplane, for the planes that this vplane shows. */
  current: boolean
  /** Whether the service starts by itself. */
  enabled: boolean
  /** The state of the service, as systemd names it; null without a service. */
  state: string | null
  /** Whether the services of this user start with the machine, without a login. */
  lingering: boolean
}

/** Converts the status of the service to its result. */
export function toKeeperResult(status: KeeperServiceStatus): KeeperResult {
  return {
    running: status.isKeeping,
    installed: status.isInstalled,
    file: status.file,
    current: status.isCurrent,
    enabled: status.isEnabled,
    state: status.state ?? null,
    lingering: status.isLingering,
  }
}

/** Says when the service starts, with the command by which it starts earlier. */
export function startsWhen({ lingering }: Pick<KeeperResult, 'lingering'>): string {
  return lingering
    ? 'with the machine'
    : 'when you log in (with the machine after: loginctl enable-linger)'
}
