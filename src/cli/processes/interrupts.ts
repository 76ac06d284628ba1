import { constants } from 'node:os'
import { VplaneError } from '../../shared/errors.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
type InterruptSignal = (typeof SIGNALS)[number]

export interface SignalSource {
  on(event: InterruptSignal, listener: (signal: InterruptSignal) => void): unknown
  off(event: InterruptSignal, listener: (signal: InterruptSignal) => void): unknown
  exit(code: number): void
}

export interface Interrupts extends Disposable {
  readonly signal: AbortSignal
  /** Exit status of a process that this signal ended: 130, 143 or 129; undefined while nothing came. */
  readonly exitCode: number | undefined
  /** Ignores signals until disposed, without letting them kill this process: for the time a command of the user runs. */
  standAside(): Disposable
}

/** The first signal to stop aborts; a second Ctrl-C ends the process at once. */
export function listenForInterrupts(source: SignalSource): Interrupts {
  const controller = new AbortController()
  let exitCode: number | undefined
  let isAside = false

  const onSignal = (name: InterruptSignal) => {
    if (isAside) {
      return
    }
    if (exitCode === undefined) {
      exitCode = exitCodeOfSignal(name)
      controller.abort(new VplaneError('ABORTED', 'interrupted'))
    } else if (name === 'SIGINT') {
      source.exit(exitCodeOfSignal(name))
    }
  }
  for (const name of SIGNALS) {
    source.on(name, onSignal)
  }

  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode
    },
    standAside() {
      isAside = true
      return {
        [Symbol.dispose]: () => {
          isAside = false
        },
      }
    },
    [Symbol.dispose]() {
      for (const name of SIGNALS) {
        source.off(name, onSignal)
      }
    },
  }
}

/** 128 + the signal's number, as shells report it. */
export function exitCodeOfSignal(name: NodeJS.Signals): number {
  return 128 + constants.signals[name]
}
