import { Cron } from 'croner'

const WORDS: Record<string, string> = {
  hourly: '0 * * * *',
  daily: '0 0 * * *',
  weekly: '0 0 * * 0',
}

/** Whether a text is `hourly`, `daily`, `weekly`, or a cron pattern of five or six fields, and matches a future time. */
export function isSchedule(text: string): boolean {
  try {
    return cronOf(text).nextRun() !== null
  } catch {
    // The caller reports the reason: croner's messages do not mention the words above.
    return false
  }
}

/** The next time of a schedule, in UTC. @throws {Error} when it is invalid or never matches. */
export function nextTime(schedule: string, after: Date): Date {
  const time = cronOf(schedule).nextRun(after)
  if (time === null) {
    throw new Error(`the schedule "${schedule}" never matches a time`)
  }
  return time
}

function cronOf(schedule: string): Cron {
  const pattern = WORDS[schedule] ?? schedule
  const fields = pattern.trim().split(/\s+/).length
  if (fields !== 5 && fields !== 6) {
    throw new Error(`the schedule "${schedule}" has neither five nor six fields`)
  }
  return new Cron(pattern, { timezone: 'UTC', paused: true })
}
