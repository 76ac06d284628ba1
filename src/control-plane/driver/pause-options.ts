/** Why a plane is paused. */
export interface PauseOptions {
  /** It pauses itself, as nobody uses it. @default somebody pauses it */
  idle?: IdlePause | undefined
}

/** What is known of a plane that is to pause itself. */
export interface IdlePause {
  /** Since when nobody has used it. */
  since: Date
  /** Asked once the plane is held; one that was used meanwhile is left as it is. */
  isStill: () => Promise<boolean>
}
