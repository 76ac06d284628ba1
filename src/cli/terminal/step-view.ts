import { formatSeconds } from '../../shared/text/duration.ts'
import { canAnimate, canColor, paint, type Terminal } from './terminal.ts'

/** A slow step announces itself in plain output after this time, so that a log shows where it hangs. */
const ANNOUNCE_AFTER_MS = 2000

/** How the current step of longer work is shown. At most one step is open at a time. */
export interface StepView {
  start(text: string): void
  detail(text: string): void
  end(outcome: 'done' | 'failed'): void
  /** Writes a line above the open step. */
  line(text: string): void
}

/** The view that suits the terminal: a spinner, plain lines, or nothing under `--json`. */
export function createStepView(terminal: Terminal): StepView {
  if (terminal.isJson) {
    return silentView(terminal)
  }
  return canAnimate(terminal) ? spinnerView(terminal) : plainView(terminal)
}

function silentView({ stderr }: Terminal): StepView {
  return {
    start: () => {},
    detail: () => {},
    end: () => {},
    line: (text) => void stderr.write(`${text}\n`),
  }
}

function plainView(terminal: Terminal): StepView {
  const line = (text: string) => void terminal.stderr.write(`${text}\n`)
  let step: { text: string; detail: string; startedAt: number; timer: NodeJS.Timeout } | undefined
  return {
    line,
    start(text) {
      const announce = () => line(`… ${withDetail(text, step?.detail ?? '')}`)
      const timer = setTimeout(announce, ANNOUNCE_AFTER_MS)
      timer.unref()
      step = { text, detail: '', startedAt: performance.now(), timer }
    },
    detail(text) {
      if (step !== undefined) {
        step.detail = text
      }
    },
    end(outcome) {
      if (step !== undefined) {
        clearTimeout(step.timer)
        line(endLine({ ...step, outcome, terminal }))
        step = undefined
      }
    },
  }
}

interface Spinner {
  text: string
  start(): unknown
  stop(): unknown
}

function spinnerView(terminal: Terminal): StepView {
  let step: { text: string; detail: string; startedAt: number; spinner?: Spinner } | undefined
  const line = (text: string) => {
    step?.spinner?.stop()
    terminal.stderr.write(`${text}\n`)
    step?.spinner?.start()
  }
  return {
    line,
    start(text) {
      const started = { text, detail: '', startedAt: performance.now() }
      step = started
      // The spinner's package takes longer to load than many steps take, so the step does not wait for it.
      void createSpinner(terminal, started).then((spinner) => {
        if (step === started) {
          step.spinner = spinner
          spinner.start()
        }
        return spinner
      })
    },
    detail(text) {
      if (step !== undefined) {
        step.detail = text
        if (step.spinner !== undefined) {
          step.spinner.text = withDetail(step.text, text)
        }
      }
    },
    end(outcome) {
      if (step !== undefined) {
        const ended = step
        ended.spinner?.stop()
        step = undefined
        line(endLine({ ...ended, outcome, terminal }))
      }
    },
  }
}

async function createSpinner(
  { stderr, environment }: Terminal,
  step: { text: string; detail: string; startedAt: number },
): Promise<Spinner> {
  const { default: ora } = await import('ora')
  return ora({
    text: withDetail(step.text, step.detail),
    suffixText: () => formatSeconds(performance.now() - step.startedAt),
    color: canColor(stderr, environment) ? 'cyan' : false,
    stream: stderr,
    // stdin belongs to the command that the user may be running.
    discardStdin: false,
    isEnabled: true,
  })
}

function endLine(step: {
  text: string
  startedAt: number
  outcome: 'done' | 'failed'
  terminal: Terminal
}): string {
  const { terminal } = step
  const isDone = step.outcome === 'done'
  const mark = isDone ? '✔' : '✖'
  const elapsed = formatSeconds(performance.now() - step.startedAt)
  const painted = paint(isDone ? 'green' : 'red', mark, terminal)
  return `${painted} ${step.text} ${paint('dim', elapsed, terminal)}`
}

function withDetail(text: string, detail: string): string {
  return detail === '' ? text : `${text}: ${detail}`
}
