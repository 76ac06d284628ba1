// A module of its own, so that the bundle holds these two prompts and loads them only when somebody is asked.
export { confirm, select } from '@inquirer/prompts'
