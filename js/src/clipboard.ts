/** Copies text, also where the page has no clipboard of its own (plain http). Says whether it worked. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.setAttribute("aria-hidden", "true");
  field.style.cssText = "position:fixed;inset:0 auto auto -99px;width:1px;height:1px;opacity:0";
  const active = document.activeElement;
  document.body.append(field);
  field.select();
  let copied = false;
  try {
    copied = document.execCommand("copy");
  } catch {
    // Not offered here: the caller says so.
  }
  field.remove();
  if (active instanceof HTMLElement) active.focus({ preventScroll: true });
  return copied;
}
