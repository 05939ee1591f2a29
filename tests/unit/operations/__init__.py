"""Operations that need no database."""
