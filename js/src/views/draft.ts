/** The text not sent yet. It outlives re-rendering and a reload of the page, not the tab. */

export interface Draft {
  read(): string;
  write(text: string): void;
}

export function createDraft(chatId: string | null): Draft {
  const key = chatId === null ? null : `acp-notebook-draft-${chatId}`;
  return {
    read() {
      try {
        return (key !== null && sessionStorage.getItem(key)) || "";
      } catch {
        // Sandboxed frames and strict privacy settings have no storage; the draft then lives in the box alone.
        return "";
      }
    },
    write(text) {
      if (key === null) return;
      try {
        if (text === "") sessionStorage.removeItem(key);
        else sessionStorage.setItem(key, text);
      } catch {
        // As above, or the storage is full.
      }
    },
  };
}
